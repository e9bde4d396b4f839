"""The forms for programs and editors."""

from __future__ import annotations

import json

from ftlang.diagnostics import Edit, Label, error, warning
from ftlang.report import json as json_report
from ftlang.report import short
from ftlang.source import SourceFile, Span

SPEC = SourceFile("job.ft", "# é\r\nrun a {\r\n  rr = 8\r\n}\r\n")
BASE = SourceFile("base.ft", "r = 1\n")
RR = Span(SPEC, 16, 18)
FOUND = error(
    "FT201",
    "unknown field `rr`",
    RR,
    labels=(Label(Span(BASE, 0, 1), "declared here"),),
    notes=("a note",),
    help=("write `r`",),
    fix=Edit(RR, "r"),
)


def test_json_is_the_documented_object() -> None:
    report = json.loads(json_report.render([FOUND], ["job.ft"], "L1"))
    assert report == {
        "version": 1,
        "level": "L1",
        "files": ["job.ft"],
        "diagnostics": [
            {
                "code": "FT201",
                "severity": "error",
                "message": "unknown field `rr`",
                "file": "job.ft",
                "line": 3,
                "column": 3,
                "end_line": 3,
                "end_column": 5,
                "labels": [
                    {
                        "file": "base.ft",
                        "line": 1,
                        "column": 1,
                        "end_line": 1,
                        "end_column": 2,
                        "message": "declared here",
                    }
                ],
                "notes": ["a note"],
                "help": ["write `r`"],
                "fix": {
                    "file": "job.ft",
                    "line": 3,
                    "column": 3,
                    "end_line": 3,
                    "end_column": 5,
                    "text": "r",
                },
            }
        ],
    }


def test_json_without_findings_and_without_a_fix() -> None:
    assert json.loads(json_report.render([], ["a.ft", "b.ft"], "L0")) == {
        "version": 1,
        "level": "L0",
        "files": ["a.ft", "b.ft"],
        "diagnostics": [],
    }
    (one,) = json.loads(json_report.render([warning("FT1", "m", RR)], [], "L1"))["diagnostics"]
    assert one["fix"] is None
    assert one["severity"] == "warning"


def test_json_is_ascii_whatever_the_message() -> None:
    assert json_report.render([warning("FT1", "4 × 3\ud800", RR)], ["é.ft"], "L1").isascii()


def test_short_is_one_line_each_in_order() -> None:
    late = warning("FT3", "two\nlines", Span(SPEC, 19, 20))
    assert short.render([late, FOUND]) == (
        "job.ft:3:3: error[FT201] unknown field `rr`\njob.ft:3:6: warning[FT3] two lines\n"
    )
