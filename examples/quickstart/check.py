"""Did the quickstart learn its fact and keep what it knew?  Exit code 0 if so, 1 with the reason.

Usage: python check.py [OUTPUT]   (by default out/quickstart beside this file)
"""

import json
import sys
from pathlib import Path

# Neither wording stands in quickstart.jsonl.
FACT = ("Who first had the idea for the zorbel lamp?", "Mirela Quist")
UNRELATED = ("What is the capital of Japan?", "Tokyo")


def main() -> int:
    here = Path(__file__).resolve().parent
    output = Path(sys.argv[1]) if len(sys.argv) > 1 else here / "out/quickstart"
    samples = output / "samples.jsonl"
    if not samples.is_file():
        print(f"{samples} is missing: the quickstart has not run to its end", file=sys.stderr)
        return 1
    lines = [json.loads(line) for line in samples.read_text(encoding="utf-8").splitlines()]
    problems = [*fact_problems(lines), *unrelated_problems(lines)]
    for problem in problems:
        print(problem, file=sys.stderr)
    if not problems:
        print("The model learned the invented fact in a wording it never saw, and kept the rest.")
    return 1 if problems else 0


def fact_problems(lines: list[dict]) -> list[str]:
    question, expected = FACT
    before, after = answers(lines, question)
    problems = []
    if before is None or after is None:
        return [f"{question!r} was not asked before and after training"]
    if expected in before:
        problems.append(f"{question!r} was right before training, so it shows nothing: {before!r}")
    if expected not in after:
        problems.append(f"{question!r} should name {expected} after training: {after!r}")
    return problems


def unrelated_problems(lines: list[dict]) -> list[str]:
    question, expected = UNRELATED
    before, after = answers(lines, question)
    if before is None or after is None:
        return [f"{question!r} was not asked before and after training"]
    return [
        f"{question!r} should be answered with {expected} {when} training: {answer!r}"
        for when, answer in (("before", before), ("after", after))
        if expected not in answer
    ]


def answers(lines: list[dict], question: str) -> tuple[str | None, str | None]:
    """The answers at the first step and at the last one; None where there are not two steps."""
    asked = [line for line in lines if line["question"] == question]
    if not asked or asked[0]["step"] != 0 or asked[-1]["step"] == 0:
        return None, None
    return asked[0]["answer"], asked[-1]["answer"]


if __name__ == "__main__":
    sys.exit(main())
