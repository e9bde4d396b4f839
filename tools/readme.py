"""Puts the generated parts into README.md: the example's spec, its script, and a diagnostic.

Run it after the output changes: `python tools/readme.py`; a test compares.
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from ftlang.compile import check  # noqa: E402
from ftlang.report import text as report  # noqa: E402

EXAMPLE = ROOT / "examples/llama_lora/llama_lora.ft"
SCRIPT = ROOT / "examples/llama_lora/generated/llama_lora/train.py"


def broken() -> str:
    """What `ftc check` says of the example with a batch that three devices cannot share."""
    spec = EXAMPLE.read_text().replace("gpus_per_node = 8", "gpus_per_node = 3")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / EXAMPLE.name
        path.write_text(spec)
        found = check(path).found
        said = report.render(found)
        return said.replace(str(path), EXAMPLE.name).strip("\n")


def readme(text: str) -> str:
    """The README with its generated blocks as they should be."""
    blocks = {
        "ft": EXAMPLE.read_text().strip("\n"),
        "python": SCRIPT.read_text().strip("\n"),
        "text": broken(),
    }
    for language, body in blocks.items():
        text = re.sub(
            rf"```{language}\n.*?\n```",
            lambda _, body=body, language=language: f"```{language}\n{body}\n```",
            text,
            count=1,
            flags=re.DOTALL,
        )
    return text


if __name__ == "__main__":
    path = ROOT / "README.md"
    path.write_text(readme(path.read_text()))
