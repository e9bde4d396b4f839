"""Generated files: whole or not at all, and edits are never lost."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from ftlang.cli import write
from ftlang.compile import Output
from tests.cli.generated import files, script


def output(folder: Path, **changes: str) -> Output:
    names = {"train": "train.py", "launch": "launch.sh"}
    return Output("a", folder, files() | {names[key]: text for key, text in changes.items()})


def codes(*outputs: Output) -> list[str]:
    return [d.code for d in write.write(outputs).found]


def contents(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in folder.iterdir()}


def test_the_digest_of_the_contract() -> None:
    text = script("import sys\n\nprint(sys.argv)\n")
    assert write.is_unedited(text) is True
    assert write.is_unedited(text.replace("\n", "\r\n")) is True
    assert write.is_unedited(text + " ") is False
    assert write.is_unedited(text.replace("argv", "path")) is False
    assert write.is_unedited("print(1)\n") is None
    assert write.is_unedited("") is None
    assert write.is_unedited(text.replace("body ", "body")) is None


def test_files_are_written_with_their_record(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "a"
    done = write.write([output(folder)])
    assert (done.found, done.changed) == ([], {"a"})
    assert sorted(contents(folder)) == ["launch.sh", "train.ftmap.json", "train.py"]
    assert (folder / "train.py").read_text("utf-8") == files()["train.py"]
    assert os.access(folder / "launch.sh", os.X_OK)
    assert not (folder / "train.py").stat().st_mode & 0o111
    stored = json.loads((folder / "train.ftmap.json").read_text("utf-8"))
    assert stored["files"] == {"launch.sh": write.digest("#!/bin/sh\n")}
    assert stored["lines"]["2"][0]["path"] == "training.batch"
    again = write.write([output(folder)])
    assert (again.found, again.changed) == ([], set())


def test_what_we_wrote_is_replaced(tmp_path: Path) -> None:
    write.write([output(tmp_path)])
    new = output(tmp_path, train=script("print(2)\n"), launch="#!/bin/sh\ntrue\n")
    assert codes(new) == []
    assert (tmp_path / "train.py").read_text("utf-8").endswith("print(2)\n")
    assert (tmp_path / "launch.sh").read_text() == "#!/bin/sh\ntrue\n"


@pytest.mark.parametrize("name", ["train.py", "launch.sh"])
def test_an_edited_file_stops_everything(tmp_path: Path, name: str) -> None:
    write.write([output(tmp_path / "a")])
    with (tmp_path / "a" / name).open("a") as file:
        file.write("# mine\n")
    before = contents(tmp_path / "a")
    new = output(tmp_path / "a", train=script("print(2)\n"), launch="#!/bin/sh\ntrue\n")
    other = Output("b", tmp_path / "b", files(run="b"))
    (found,) = write.write([other, new]).found
    assert found.code == "FT601"
    assert name in found.message
    assert len(found.help) == 3
    assert contents(tmp_path / "a") == before
    assert not (tmp_path / "b").exists()


def test_the_span_of_an_edited_script_is_its_digest(tmp_path: Path) -> None:
    write.write([output(tmp_path)])
    path = tmp_path / "train.py"
    path.write_text(path.read_text("utf-8") + "x = 1\n", "utf-8")
    (found,) = write.write([output(tmp_path)]).found
    assert found.span.text == write.body_digest(files()["train.py"])


@pytest.mark.parametrize("name", ["train.py", "launch.sh"])
@pytest.mark.parametrize("text", [b"print('mine')\n", b"", b"\xff\x00"])
def test_a_foreign_file_stops_everything(tmp_path: Path, name: str, text: bytes) -> None:
    (tmp_path / name).write_bytes(text)
    assert codes(output(tmp_path)) == ["FT602"]
    assert contents(tmp_path) == {name: text}


def test_a_lost_map_is_no_obstacle_while_nothing_changes(tmp_path: Path) -> None:
    write.write([output(tmp_path)])
    (tmp_path / "train.ftmap.json").unlink()
    assert codes(output(tmp_path, train=script("print(2)\n"))) == []
    (tmp_path / "train.ftmap.json").write_text("no json")
    assert codes(output(tmp_path, launch="#!/bin/sh\ntrue\n")) == ["FT602"]


def test_crlf_from_a_checkout_is_no_edit(tmp_path: Path) -> None:
    write.write([output(tmp_path)])
    for name in ("train.py", "launch.sh"):
        path = tmp_path / name
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert write.differences(write.found_on_disk(output(tmp_path)), output(tmp_path)) == ""
    assert codes(output(tmp_path, train=script("print(2)\n"))) == []


def test_a_file_that_no_longer_belongs_is_removed_unless_edited(tmp_path: Path) -> None:
    more = Output("a", tmp_path, files() | {"accelerate.yaml": "x: 1\n", "notes.md": "n\n"})
    assert codes(more) == []
    (tmp_path / "notes.md").write_text("my notes\n")
    assert codes(output(tmp_path)) == ["FT601"]
    assert (tmp_path / "accelerate.yaml").exists()
    (tmp_path / "notes.md").write_text("n\n")
    (tmp_path / "own.txt").write_text("never ours")
    assert codes(output(tmp_path)) == []
    assert sorted(contents(tmp_path)) == ["launch.sh", "own.txt", "train.ftmap.json", "train.py"]


def test_a_record_cannot_reach_outside_its_folder(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    folder = tmp_path / "a"
    write.write([output(folder)])
    path = folder / "train.ftmap.json"
    content = json.loads(path.read_text())
    for name in ("../victim", str(victim)):
        content["files"][name] = write.digest("precious")
    path.write_text(json.dumps(content))
    assert codes(output(folder)) == []
    assert victim.read_text() == "precious"


def test_a_failing_disk_leaves_the_old_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write.write([output(tmp_path)])
    before = contents(tmp_path)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device", str(tmp_path / "train.py"))

    monkeypatch.setattr(Path, "replace", full)
    (found,) = write.write([output(tmp_path, train=script("print(2)\n"))]).found
    assert found.code == "FT604"
    assert found.message.endswith("train.py` cannot be written: No space left on device")
    assert contents(tmp_path) == before


@pytest.mark.parametrize("below", ["file", "file/deeper"])
def test_a_file_where_a_folder_should_be(tmp_path: Path, below: str) -> None:
    (tmp_path / "file").write_text("")
    assert codes(output(tmp_path / below)) == ["FT604"]


def test_a_folder_where_a_file_should_be(tmp_path: Path) -> None:
    (tmp_path / "train.py").mkdir()
    assert codes(output(tmp_path)) == ["FT604"]


def test_the_map_may_bring_its_own_record() -> None:
    given = files()
    content = json.loads(given["train.ftmap.json"]) | {"files": {"launch.sh": "0"}}
    given["train.ftmap.json"] = json.dumps(content)
    assert write.with_record(given) == given
