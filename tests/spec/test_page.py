"""The runner of the pages itself: what it accepts, and that it notices what is untrue."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rules.stock import completed
from tests.spec.page import Wrong, cases, in_order, marks, updated

TWO = """# A page

Prose.

## One

`base.ft`:

```ft
let r = 8
```

```ft
tune lora { r = 8 }
```

```script
r=8,
```

## Two

```ft
r = 1  # error: FT201
```

```args
--run a
```

```args
--run b
```

```diagnostics
old
```
"""


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "01-page.md"
    path.write_text(TWO)
    return path


def test_sections_files_and_options(page: Path) -> None:
    one, two, three = cases(page)
    assert (one.heading, one.line) == ("One", 14)
    assert set(one.files) == {"base.ft", "spec.ft"}
    assert [fence.kind for fence in one.results] == ["script"]
    assert (two.args, three.args) == ("--run a\n", "--run b\n")
    assert two.files == three.files == {"spec.ft": "r = 1  # error: FT201\n"}
    assert not two.results
    assert three.results[0].text == "old\n"


def test_a_section_may_say_that_it_fails(page: Path) -> None:
    page.write_text(TWO.replace("## Two\n", "## Two\n\n<!-- not yet: no options -->\n"))
    assert [case.not_yet for case in cases(page)] == ["", "no options", "no options"]


def test_a_snapshot_is_rewritten_and_nothing_else(page: Path) -> None:
    old = cases(page)[2].results[0]
    updated(page, old, "new\nlines\n")
    assert page.read_text() == TWO.replace("old\n", "new\nlines\n")
    updated(page, cases(page)[2].results[0], "")
    assert page.read_text() == TWO.replace("old\n", "")
    updated(page, cases(page)[2].results[0], "again\n")
    assert page.read_text() == TWO.replace("old\n", "again\n")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("```ft\nx = 1\n", "not closed"),
        ("```yaml\nx: 1\n```\n", "`yaml` is no kind of block"),
        ("```py\nx = 1\n```\n", "name the file"),
        ("```ft base.ft\nx = 1\n```\n", "`ft base.ft` is no kind of block"),
        ("```script\nx\n```\n", "no spec stands before"),
        ("`a.ft`:\n\n```ft\nx = 1\n```\n", "no spec that uses them"),
        ("`a.ft`:\n\n```ft\n```\n\n`a.ft`:\n\n```ft\n```\n", "given twice"),
    ],
)
def test_a_page_that_does_not_fit_is_refused(page: Path, body: str, said: str) -> None:
    page.write_text("# Heading\n\n" + body)
    with pytest.raises(Wrong, match=said) as refused:
        cases(page)
    assert "01-page.md" in str(refused.value)


def test_marks() -> None:
    text = "a # comment\nb # why # error: FT201\nc # warning: FT216, error: FT001\n"
    assert marks(text) == [
        (2, "error", "FT201"),
        (3, "warning", "FT216"),
        (3, "error", "FT001"),
    ]
    assert marks("  # note: FT134\nx\n") == [(2, "note", "FT134")]
    assert marks('x = "abc # error: FT004\n') == [(1, "error", "FT004")]


@pytest.mark.parametrize("mark", ["# error: 201", "# Error: FT201", "# error: FT201 because"])
def test_a_misspelt_mark_is_refused(mark: str) -> None:
    with pytest.raises(Wrong, match="not a mark"):
        marks(f"x = 1  {mark}\n")


def test_lines_of_a_script_keep_their_order() -> None:
    assert in_order("a\nb\n", "x\n  a\ny\nb\n") == ""
    assert in_order("b\na\n", "a\nb\n") == "a"
    assert in_order("a\na\n", "a\n") == "a"
    assert in_order("aa\n", "aaa\n") == "aa"


def test_a_fragment_is_completed_behind_its_declarations() -> None:
    text = completed('dataset d {\n  source = files("a.csv")\n}\ndata { train = d }\n')
    assert text.startswith('dataset d {\n  source = files("a.csv")\n}\nrun stock {\ndata {')
    assert "tune lora" in text
    whole = "run a { }\n"
    assert completed(whole) == whole
    assert completed("# a run of its own\ntune full\n").startswith("run stock {\n# a run")
