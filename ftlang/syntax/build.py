"""Parse tree → AST.  Every mistake is reported before; here nothing fails."""

from __future__ import annotations

from typing import Any

from ftlang.source import SourceFile, Span
from ftlang.syntax import ast
from ftlang.syntax.literals import numeral, string_value
from ftlang.syntax.tokens import Token

Node = Any  # lark.Tree or Token


def file(source: SourceFile, tree: Node) -> ast.File:
    """The tree of a whole file."""
    build = _Build(source)
    return ast.File(source, build.entries(tree.children))


class _Build:
    def __init__(self, source: SourceFile) -> None:
        self.source = source

    def span(self, first: Node, last: Node) -> Span:
        """From the first to the last word of a node; the brackets nest at most 64 deep."""
        while not isinstance(first, Token):
            first = first.children[0]
        while not isinstance(last, Token):
            last = last.children[-1]
        return Span(self.source, first.start, max(first.start, last.end))

    def whole(self, node: Node) -> Span:
        return self.span(node, node)

    def entries(self, children: list[Node]) -> tuple[Any, ...]:
        """The declarations and entries among a node's children."""
        nodes = [child for child in children if not isinstance(child, Token)]
        built = [getattr(self, node.data)(node) for node in nodes]
        return tuple(each for each in built if each is not None)

    def name(self, token: Token) -> ast.Name:
        return ast.Name(token.text, self.whole(token))

    # Declarations and entries

    def use(self, node: Node) -> ast.Use:
        path = node.children[1]
        string = ast.Str(string_value(path.text), False, self.whole(path))
        alias = self.name(node.children[3]) if len(node.children) > 3 else None
        return ast.Use(string, alias, self.whole(node))

    def let(self, node: Node) -> ast.Let:
        _, name, _, value = node.children
        return ast.Let(self.name(name), self.value(value), self.whole(node))

    def param(self, node: Node) -> ast.Param:
        _, name, _, type_, *rest = node.children
        value = self.value(rest[1]) if rest else None
        return ast.Param(self.name(name), self.name(type_), value, self.whole(node))

    def attr(self, node: Node) -> ast.Attr:
        path, op, value = node.children
        sign = "+=" if op.type == "PLUS_EQ" else "="
        return ast.Attr(self.path(path), sign, self.value(value), self.whole(node))

    def unset(self, node: Node) -> ast.Unset:
        return ast.Unset(self.path(node.children[1]), self.whole(node))

    def block(self, node: Node) -> ast.Block | ast.Attr | None:
        """The block; where its head is unclear only its first word, and nothing without one."""
        names = [each for each in node.children if isinstance(each, Token) and each.type == "NAME"]
        trees = {each.data: each for each in node.children if not isinstance(each, Token)}
        body, base = trees.get("body"), trees.get("path")
        last = node.children[-2] if body is not None else node.children[-1]
        if not names[0].text:
            span = self.whole(names[0])
            path = ast.Path((ast.Name(span.text, span),), span)
            return ast.Attr(path, "=", ast.Unreadable(span), span) if span.text else None
        return ast.Block(
            name=self.name(names[0]),
            kind=self.name(names[1]) if len(names) > 1 else None,
            extends=self.path(base) if base is not None else None,
            body=self.entries(body.children) if body is not None else None,
            head=self.span(names[0], last),
            span=self.whole(node),
        )

    # Values

    def value(self, node: Node) -> ast.Value:
        """Any value; a word of one part is a `Path`."""
        value: ast.Value = getattr(self, node.data)(node)
        return value

    def string(self, node: Node) -> ast.Str:
        token = node.children[0]
        return ast.Str(string_value(token.text), token.type == "TEXT", self.whole(token))

    def number(self, node: Node) -> ast.Number:
        parts = numeral(node.children[0].text)
        assert parts is not None, "lexical.py lets no other numeral through"
        units = [parts.unit, *(token.text for token in node.children[1:])]
        return ast.Number(parts.text, " ".join(filter(None, units)), self.whole(node))

    def bool(self, node: Node) -> ast.Bool:
        return ast.Bool(node.children[0].type == "TRUE", self.whole(node))

    def none(self, node: Node) -> ast.Nothing:
        return ast.Nothing(self.whole(node))

    def var(self, node: Node) -> ast.Var:
        return ast.Var(node.children[0].text[1:], self.whole(node))

    def bare(self, node: Node) -> ast.Unreadable:
        return ast.Unreadable(self.whole(node))

    def path(self, node: Node) -> ast.Path:
        parts = [each for each in node.children if each.type != "DOT"]
        return ast.Path(tuple(map(self._part, parts)), self.whole(node))

    def _part(self, token: Token) -> ast.Name | ast.Str:
        if token.type == "STRING":
            return ast.Str(string_value(token.text), False, self.whole(token))
        return self.name(token)

    def call(self, node: Node) -> ast.Call:
        path, *rest = node.children
        args: list[ast.Value] = []
        keywords: list[ast.Keyword] = []
        for each in rest:
            if isinstance(each, Token):
                continue
            if each.data == "kwarg":
                name, _, value = each.children
                keyword = ast.Keyword(self.name(name), self.value(value), self.whole(each))
                keywords.append(keyword)
            else:
                args.append(self.value(each))
        return ast.Call(self.path(path), tuple(args), tuple(keywords), self.whole(node))

    def list(self, node: Node) -> ast.ListValue:
        items = (self.value(each) for each in node.children if not isinstance(each, Token))
        return ast.ListValue(tuple(items), self.whole(node))

    def map(self, node: Node) -> ast.MapValue:
        pairs = (self.pair(each) for each in node.children if not isinstance(each, Token))
        return ast.MapValue(tuple(pairs), self.whole(node))

    def pair(self, node: Node) -> ast.Pair:
        key, _, value = node.children
        named = self._part(key) if isinstance(key, Token) else self.path(key)
        assert not isinstance(named, ast.Name), "a name alone is a path in the grammar"
        return ast.Pair(named, self.value(value), self.whole(node))
