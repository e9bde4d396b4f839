"""`py("rows.py:is_good", limit = 5)`: user code, checked by reading its file, not by running it."""

from __future__ import annotations

import posixpath
import re

from ftlang.diagnostics import Diagnostic, error
from ftlang.names.load import load
from ftlang.names.suggest import did_you_mean
from ftlang.record import Record
from ftlang.schema.places import FilePath
from ftlang.schema.types import UNREAD, Reading, Unread, refuse
from ftlang.schema.units import value_of
from ftlang.schema.words import Text
from ftlang.source import SourceFile, Span
from ftlang.syntax import ast

FORM = 'py("file.py:function", name = value)'
_NAME = r"(?a:[A-Za-z_]\w*(\.[A-Za-z_]\w*)*)"


class UserCode(Record):
    """A function of a file below the spec's folder, or of an installed module.

    `file` is "" for a module's, `constants` are keywords that are bound before it is called.
    """

    file: str
    module: str
    function: str
    constants: tuple[tuple[str, object], ...] = ()


class Python(Record):
    """A field that takes user code.

    The place calls it with `passes` in order, or by `keywords` and further columns; `makes` says
    in words what it must give.  A `maker` is called once, with its constants alone, and a class
    will do.  Of a `free` function the parameters are its own affair.
    """

    passes: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    makes: str = ""
    maker: bool = False
    free: bool = False

    def words(self) -> str:
        return f"user code such as `{FORM}`"

    def signature(self) -> str:
        """How it is written."""
        return FORM

    @property
    def name(self) -> str:
        """The word before the bracket."""
        return "py"

    def read(self, value: ast.Value, at: Reading) -> object:
        if not isinstance(value, ast.Call) or value.path.text != "py":
            help = (f'write `py("{value.value}")`',) if _is_place(value) else ()  # type: ignore[union-attr]
            return refuse(value, self.words(), at, help)
        if len(value.args) != 1:
            message = "`py` takes one string, `file.py:function`, and constants by name"
            at.found.append(error("FT212", message, value.path.span, help=(f"write `{FORM}`",)))
            return UNREAD
        written = Text().read(value.args[0], at.of("py"))
        constants = [(k.name.text, _constant(k.value, at.of(k.name.text))) for k in value.keywords]
        if not isinstance(written, str) or any(isinstance(v, Unread) for _, v in constants):
            return UNREAD
        span = value.args[0].span
        where, colon, function = written.rpartition(":")
        if not colon or not where or not re.fullmatch(_NAME, function):
            message = f'`py` needs a place such as `"rows.py:is_good"`, not {span.text}'
            help = ("write the file, a colon, and the function's name",)
            at.found.append(error("FT137", message, span, help=help))
            return UNREAD
        bound = tuple(constants)
        if not where.endswith(".py"):
            if not re.fullmatch(_NAME, where):
                message = f"`{where}` is neither a `.py` file nor the name of a module"
                at.found.append(error("FT137", message, span))
                return UNREAD
            return UserCode("", where, function, bound)
        file = FilePath().read(ast.Str(where, False, span), at.of("py"))
        if not isinstance(file, str):
            return UNREAD
        names = {k.name.text: k.name.span for k in value.keywords}
        wrong = self._wrong(file, function, names, span, at)
        if wrong is not None:
            at.found.append(wrong)
            return UNREAD
        return UserCode(file, "", function, bound)

    def _wrong(
        self, file: str, function: str, constants: dict[str, Span], span: Span, at: Reading
    ) -> Diagnostic | None:
        """What does not fit between the function in the file and this place."""
        if at.scope is None or at.scope.document.source.place is None:
            return None
        source, found = load(posixpath.join(at.scope.folder, file), file)
        if source is None:
            return error("FT137", found[0].message, span, help=("the path starts at this file",))
        if found:
            return error("FT137", f"`{file}` is not UTF-8 text", span)
        return _misfit(source, function, constants, span, self)


def _misfit(
    source: SourceFile, function: str, constants: dict[str, Span], span: Span, place: Python
) -> Diagnostic | None:
    import ast as python  # the standard library's; not needed by a spec without user code
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an odd escape is for whoever runs the file to see
            tree = python.parse(source.text)
    except (SyntaxError, ValueError) as problem:
        line = getattr(problem, "lineno", None)
        where = f"line {line} of `{source.name}`" if line else f"`{source.name}`"
        return error("FT137", f"{where} is no valid Python", span)
    kinds = (python.FunctionDef, python.AsyncFunctionDef, python.ClassDef)
    defined = {node.name: node for node in tree.body if isinstance(node, kinds)}
    others = {
        target.id
        for node in tree.body
        if isinstance(node, python.Assign | python.AnnAssign)
        for target in (node.targets if isinstance(node, python.Assign) else [node.target])
        if isinstance(target, python.Name)
    } | {
        alias.asname or alias.name
        for node in tree.body
        if isinstance(node, python.Import | python.ImportFrom)
        for alias in node.names
    }
    node = defined.get(function)
    if node is None:
        if function in others or "." in function:
            return None  # what it is shows only when the file runs
        help = did_you_mean(function, defined) or (f"define `def {function}(…):` there",)
        return error("FT137", f"`{source.name}` has no function `{function}`", span, help=help)
    if isinstance(node, python.ClassDef):
        if not place.maker:
            message = f"`{function}` is a class; this place calls a function"
            return error("FT137", message, span, help=("name a function",))
        inits = [n for n in node.body if isinstance(n, kinds) and n.name == "__init__"]
        if not inits or not isinstance(inits[0], python.FunctionDef):
            return None
        return _of_arguments(inits[0].args, 1, function, constants, span, place)
    if isinstance(node, python.AsyncFunctionDef) and not place.keywords:
        message = f"`{function}` is asynchronous; this place calls it and waits"
        return error("FT137", message, span, help=("write `def` instead of `async def`",))
    return _of_arguments(node.args, 0, function, constants, span, place)


def _of_arguments(
    arguments: object,
    skip: int,
    function: str,
    constants: dict[str, Span],
    span: Span,
    place: Python,
) -> Diagnostic | None:
    """Compares parameters with what is bound and what is passed; `skip` leaves `self` out."""
    import ast as python

    assert isinstance(arguments, python.arguments)
    plain = [a.arg for a in (*arguments.posonlyargs, *arguments.args)][skip:]
    only = [a.arg for a in arguments.kwonlyargs]
    optional = set(plain[len(plain) - len(arguments.defaults) :] if arguments.defaults else ())
    optional |= {a for a, d in zip(only, arguments.kw_defaults, strict=True) if d is not None}
    for name, where in constants.items():
        positional = {a.arg for a in arguments.posonlyargs}
        if name in positional or (name not in (*plain, *only) and arguments.kwarg is None):
            help = did_you_mean(name, (*plain, *only)) or (
                f"its parameters are {', '.join(f'`{p}`' for p in (*plain, *only)) or 'none'}",
            )
            return error("FT137", f"`{function}` takes no keyword `{name}`", where, help=help)
    free = [name for name in plain if name not in constants]
    needed = [name for name in free if name not in optional]
    needed += [name for name in only if name not in constants and name not in optional]
    if place.free:
        return None
    form = f"def {function}({', '.join((*place.passes, *place.keywords))})"
    if place.maker:
        missing = needed
    elif place.keywords:
        missing = []
        if arguments.kwarg is None:
            return error(
                "FT137",
                f"`{function}` does not take `**columns`",
                span,
                notes=("it is called with the columns of the rows, by name",),
                help=(f"write `def {function}({', '.join(place.keywords)}, **columns):`",),
            )
    else:
        missing = needed[len(place.passes) :]
        if len(free) < len(place.passes) and arguments.vararg is None:
            passed = ", ".join(f"`{p}`" for p in place.passes)
            message = f"`{function}` takes {_counted(len(free))}, but is passed {passed}"
            return error("FT137", message, span, help=(f"write `{form}:`",))
    if missing:
        listed = ", ".join(f"`{name}`" for name in missing)
        return error(
            "FT137",
            f"`{function}` also needs {listed}, which nothing passes",
            span,
            help=(
                f"bind it here: `py(…, {missing[0]} = …)`",
                "or give it a default in the file",
            ),
        )
    return None


def _counted(number: int) -> str:
    return "1 argument" if number == 1 else f"{number or 'no'} arguments"


def _is_place(value: ast.Value) -> bool:
    return isinstance(value, ast.Str) and ":" in value.value


def _constant(value: ast.Value, at: Reading) -> object:
    """A constant of a call: a string, number, truth value, `none`, a word, or a list of them."""
    match value:
        case ast.Bool():
            return value.value
        case ast.Nothing():
            return None
        case ast.Str():
            return Text().read(value, at)
        case ast.Path() if len(value.parts) == 1:
            return value.text
        case ast.Number(unit="") if (number := value_of(value.text)) is not None:
            return number
        case ast.ListValue():
            items = tuple(_constant(item, at) for item in value.items)
            return UNREAD if any(isinstance(i, Unread) for i in items) else items
        case ast.Call() if value.path.text == "path":
            from ftlang.schema.lookups import Place

            return Place().read(value, at)
    return refuse(value, "a plain constant", at)
