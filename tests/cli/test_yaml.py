"""What the command line says of a pasted YAML file."""

from pathlib import Path
from typing import Any

from tests.syntax.test_yaml import AXOLOTL


def test_nothing_in_it_is_fixed(tmp_path: Path, ftc: Any) -> None:
    spec = tmp_path / "a.ft"
    spec.write_text(AXOLOTL, encoding="utf-8")
    answer = ftc("check", "--fix", str(spec))
    assert answer.code == 1 and (answer.out + answer.err).count("error[") == 1
    assert spec.read_text("utf-8") == AXOLOTL
