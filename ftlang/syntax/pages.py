"""One page for each syntax code: what `ftc explain` prints, and what the tests try.

Every *wrong* text gives exactly its code, once; every *right* text gives no syntax error.
"""

from __future__ import annotations

from ftlang.record import Record


class Page(Record):
    """Title, reason and an example of one kind of mistake.

    `wrong` is None where the mistake lies in a file's bytes and has no text to show.
    """

    code: str
    title: str
    why: str
    wrong: str | None
    right: str


_ALL = (
    Page("FT001", "not UTF-8", "Specs are UTF-8 text, on every machine.", None, "# données\n"),
    Page(
        "FT002",
        "NUL character",
        "A NUL in a text file is damage: it is never written on purpose.",
        "seed = 1\0\n",
        "seed = 1\n",
    ),
    Page(
        "FT003",
        "character without meaning",
        "Outside strings and comments only names, numbers, brackets and `= += , . : % $` occur.",
        "x = ~\n",
        'x = "~"\n',
    ),
    Page(
        "FT004",
        "string not closed",
        "A string ends on its own line, so that a missing quote breaks one line and not the file.",
        'x = "abc\ny = 2\n',
        'x = "abc"\ny = 2\n',
    ),
    Page(
        "FT005",
        "other quotes",
        "There is one way to write a string: plain double quotes.",
        "x = 'abc'\n",
        'x = "abc"\n',
    ),
    Page(
        "FT006",
        "text not closed",
        'A text runs from `"""` to the next `"""`.',
        'x = """abc\ny = 2\n',
        'x = """abc"""\ny = 2\n',
    ),
    Page(
        "FT008",
        "comment of another language",
        "Comments start with `#` and end with the line.",
        "x = 1 // note\n",
        "x = 1 # note\n",
    ),
    Page(
        "FT009",
        "semicolon",
        "A new line ends an entry, and a comma may stand for it.",
        "x = 1; y = 2\n",
        "x = 1, y = 2\n",
    ),
    Page(
        "FT010",
        "bracket not closed",
        "It is taken as closed where its entry seems to end, so later entries are still checked.",
        "x = [a, b\ny = 2\n",
        "x = [a, b]\ny = 2\n",
    ),
    Page(
        "FT011",
        "bracket closed by another kind",
        "`[` is closed by `]`, `(` by `)` and `{` by `}`.",
        "x = [a)\n",
        "x = [a]\n",
    ),
    Page(
        "FT012",
        "closing bracket without an opening one",
        "It is passed over.",
        "x = 1\n}\n",
        "a { x = 1\n}\n",
    ),
    Page(
        "FT013",
        "nested too deep",
        "Brackets nest at most 64 deep; no spec comes near it.",
        "x = " + "[" * 65 + "]" * 65 + "\n",
        "x = [[[1]]]\n",
    ),
    Page(
        "FT014",
        "point without digits on both sides",
        "`.5` and `1.` are easily misread.",
        "x = .5\n",
        "x = 0.5\n",
    ),
    Page(
        "FT015",
        "misplaced underscore in a number",
        "`_` stands only between two digits.",
        "x = 1__000\n",
        "x = 1_000\n",
    ),
    Page(
        "FT016",
        "not a number",
        "Numbers are decimal, with one point at most, and a unit has no digits.",
        "x = 0x10\n",
        "x = 16\n",
    ),
    Page(
        "FT017",
        "text that must be quoted",
        "Only names, joined by dots, stand without quotes.",
        "x = meta-llama/Llama-3.1-8B\n",
        'x = "meta-llama/Llama-3.1-8B"\n',
    ),
    Page(
        "FT018",
        "not a name",
        "A name begins with a letter and has letters, digits, `_` and inner `-`.",
        "run 7b { x = 1 }\n",
        "run b7 { x = 1 }\n",
    ),
    Page(
        "FT019",
        "value missing",
        "A new line ends an entry, also after `=`.",
        "x =\ny = 2\n",
        "x = 1\ny = 2\n",
    ),
    Page(
        "FT020",
        "`=` missing",
        "A field is set with `=`; without it a line is a block.",
        "r 16\n",
        "r = 16\n",
    ),
    Page(
        "FT021",
        "`:` instead of `=`",
        "YAML and JSON write `:`; here a field is set with `=`.",
        "r: 16\n",
        "r = 16\n",
    ),
    Page(
        "FT022",
        "two entries on one line",
        "A new line or a comma stands between entries.",
        "r = 16 alpha = 32\n",
        "r = 16, alpha = 32\n",
    ),
    Page(
        "FT023",
        "comma missing",
        "Inside `[…]` and `(…)` new lines mean nothing, so commas are needed.",
        "x = [a\n  b]\n",
        "x = [a,\n  b]\n",
    ),
    Page(
        "FT024",
        "comma with nothing before it",
        "A list or call may end with a comma, but has no empty places.",
        "x = [1,,2]\n",
        "x = [1,2,]\n",
    ),
    Page(
        "FT025",
        "tuple",
        "There is one kind of list, `[…]`, and parentheses do not group.",
        "x = (1, 2)\n",
        "x = [1, 2]\n",
    ),
    Page(
        "FT026",
        "other assignment",
        "A field is set with `=`, once; a list or map is extended with `+=`.",
        "x == 1\n",
        "x = 1\n",
    ),
    Page(
        "FT027",
        "a name alone",
        "An entry is `name = value`, `name { … }` or, for a block without body, `name kind`.",
        "shard\n",
        "shard fsdp2\n",
    ),
    Page(
        "FT028",
        "too many names",
        "A block has a name and at most one kind; a field has one name.",
        "tune lora fast { r = 1 }\n",
        "tune lora { r = 1 }\n",
    ),
    Page(
        "FT029",
        "dots in the name of a block",
        "Blocks nest instead: dots would hide which block is opened.",
        "run my.run { x = 1 }\n",
        "run my-run { x = 1 }\n",
    ),
    Page(
        "FT030",
        "the name of a block in quotes",
        "Names are words, so that they can be referred to.",
        'run "a" { x = 1 }\n',
        "run a { x = 1 }\n",
    ),
    Page(
        "FT031",
        "incomplete `extends`",
        "`run NAME extends BASE { … }` has all four parts.",
        "run a extends b\n",
        "run a extends b { }\n",
    ),
    Page(
        "FT032",
        "the name of a field in quotes",
        "Only the keys of a map may be quoted.",
        'a { "x" = 1 }\n',
        'a { x = 1, y = { "x" = 1 } }\n',
    ),
    Page(
        "FT033",
        "incomplete `use`",
        "`use` takes a quoted path, and a name after `as`.",
        "use base.ft\n",
        'use "base.ft"\n',
    ),
    Page(
        "FT034",
        "incomplete `let` or `param`",
        "A `let` has a name and a value; a `param` has a name and a type.",
        "param seed = 42\n",
        "param seed: int = 42\n",
    ),
    Page(
        "FT035",
        "incomplete `unset`",
        "`unset` takes one field and nothing else.",
        "a { unset x = 1 }\n",
        "a { unset x }\n",
    ),
    Page(
        "FT036",
        "count prefix apart from its number",
        "`2B tokens` is two billion tokens; `B` belongs to the number.",
        "x = 2 B tokens\n",
        "x = 2B tokens\n",
    ),
    Page(
        "FT037",
        "key in a list",
        "A list holds values; keys belong into a map.",
        "x = [a = 1]\n",
        "x = { a = 1 }\n",
    ),
    Page(
        "FT038",
        "arithmetic",
        "A spec must be checkable without running it, so it has no expressions.",
        "x = 8 * 2\n",
        "x = 16\n",
    ),
    Page(
        "FT039",
        "`${…}` outside a string",
        "In a string `${name}` puts a value in; elsewhere the variable is `$name`.",
        "x = ${seed}\n",
        'x = $seed, y = "${seed}"\n',
    ),
    Page(
        "FT040",
        "not the start of an entry",
        "An entry begins with a name.",
        "= 3\n",
        "x = 3\n",
    ),
    Page(
        "FT041",
        "list with dashes",
        "Dashes are YAML's lists.",
        "- x = 1\n",
        "y = [x]\n",
    ),
    Page(
        "FT042",
        "more than one value",
        "A field takes one value; several are a list.",
        "to = wandb tensorboard\n",
        "to = [wandb, tensorboard]\n",
    ),
    Page(
        "FT043",
        "quote inside a string",
        'A `"` ends the string unless it is written `\\"`.',
        'x = "say "hi" twice"\n',
        'x = "say \\"hi\\" twice"\n',
    ),
    Page(
        "FT044",
        "prefix before a string",
        "Strings have no prefixes; a text in triple quotes has no escapes.",
        'x = r"\\d+"\n',
        'x = """\\d+"""\n',
    ),
    Page(
        "FT049",
        "does not fit",
        "The word cannot stand here, and it is no form that is known from elsewhere.",
        "x = :\n",
        "x = 1\n",
    ),
    Page(
        "FT052",
        "YAML, not a spec",
        "Nothing of a YAML file can be read as a spec; its names are explained by `ftc explain`.",
        "base_model: Qwen\nload_in_4bit: true\nlora_r: 8\n",
        "run a {\n  tune lora { r = 8 }\n}\n",
    ),
    Page(
        "FT290",
        "unknown escape",
        "A backslash that means nothing is most often a path or a regex.",
        'x = "\\d+"\n',
        'x = "\\\\d+"\n',
    ),
)

PAGES: dict[str, Page] = {page.code: page for page in _ALL}
