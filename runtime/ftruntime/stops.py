"""How a run stops: problems with a code, a file and a row, and one message for a person.

Codes: FT701 a row that no conversation can be made of, FT702 a file that cannot be read, FT703 a
tokenizer or chat template that cannot train, FT704 a row whose trained text is not certain under
this template, FT705 a row that is too long, FT706 tokens that do not say what the text says,
FT707 a data set that fails the last check before the weights load, FT708 a control token in the
text of a row, FT709 an emitted script that cannot be run for an audit.
"""

from dataclasses import dataclass

SHOWN = 5


@dataclass(frozen=True, slots=True)
class Problem:
    """One finding: a code, a message, and the place in the data that it is about, if any."""

    code: str
    message: str
    file: str | None = None
    row: int | None = None


class RunStopped(SystemExit):
    """Ends the process with exit code 1 and a message instead of a traceback."""

    def __init__(self, problems: list[Problem], heading: str = "") -> None:
        self.problems = problems
        super().__init__(message_of(problems, heading))


def message_of(problems: list[Problem], heading: str = "") -> str:
    """The text for a person: the heading, the first five problems, and how many more there are."""
    lines = [heading] if heading else []
    indent = "  " if heading else ""
    lines += [indent + line_of(problem) for problem in problems[:SHOWN]]
    if len(problems) > SHOWN:
        lines.append(f"{indent}and {len(problems) - SHOWN} more like these")
    return "\n".join(lines)


def line_of(problem: Problem) -> str:
    """One problem on one line: `rows.jsonl, row 4: the answer is empty [FT701]`."""
    place = problem.file or ""
    if problem.row is not None:
        place += f", row {problem.row}" if place else f"row {problem.row}"
    return (f"{place}: " if place else "") + f"{problem.message} [{problem.code}]"


def stop_on_rows(
    problems: list[Problem], places: list[tuple[str, int]], cannot: str = "cannot be used"
) -> None:
    """Raises RunStopped when there are problems with some of the rows; `places` are all of them."""
    if not problems:
        return
    bad = len({(problem.file, problem.row) for problem in problems})
    raise RunStopped(problems, f"{bad} of {len(places)} rows {cannot}; nothing was trained:")
