"""One small training with both trainers: what is counted, recorded, shown, saved, reloaded."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from datasets import Dataset
from ftruntime.callbacks import RunLog, SampleAnswers
from ftruntime.finish import load_result, save_result
from ftruntime.models import builtin_model
from ftruntime.preflight import parameter_counts, preflight, token_counts
from ftruntime.stops import RunStopped
from peft import LoraConfig, get_peft_model
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    ProgressCallback,
    Trainer,
    TrainingArguments,
    set_seed,
)
from trl import SFTConfig, SFTTrainer
from trl.trainer.sft_trainer import DataCollatorForLanguageModeling

BUILTIN = "tiny-llama"
PAIRS = [(f"What is {n}?", f"Item {n * 7}" + "!" * (n % 3)) for n in range(10)]
QUESTIONS = ["What is 3?", "What is 8?"]
KEYS = [
    "step", "epoch", "loss", "learning_rate", "grad_norm", "tokens_seen", "tokens_per_s",
    "eval_loss",
]  # fmt: skip
MakeTrainer = Callable[..., Any]


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FTC_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.delenv("WORLD_SIZE", raising=False)
        threads = torch.get_num_threads()
        torch.set_num_threads(1)  # a second thread gains nothing here and waits for busy cores
        yield
        torch.set_num_threads(threads)


def tokenizer_of(builtin: str = BUILTIN) -> Any:
    return AutoTokenizer.from_pretrained(builtin_model(builtin))


def rows(tokenizer: Any, pairs: list[tuple[str, str]] = PAIRS) -> Dataset:
    """Rows with the answer and the token that ends it trained."""
    made = []
    for question, answer in pairs:
        prompt = tokenizer.apply_chat_template(
            [{"role": "user", "content": question}], add_generation_prompt=True, return_dict=False
        )
        trained = tokenizer(answer + "<|im_end|>")["input_ids"]
        ids = prompt + trained + tokenizer("\n")["input_ids"]
        made.append({"input_ids": ids, "labels": [-100] * len(prompt) + trained + [-100]})
    return Dataset.from_list(made)


@pytest.fixture(params=["Trainer", "SFTTrainer"])
def make_trainer(request: pytest.FixtureRequest, tmp_path: Path) -> MakeTrainer:
    """Makes the trainer as the emitted scripts do."""

    def made(folder: Path = tmp_path, questions: list[str] | None = None, **changed: Any) -> Any:
        set_seed(11)
        tokenizer = tokenizer_of()
        model = AutoModelForCausalLM.from_pretrained(builtin_model(BUILTIN), dtype=torch.float32)
        lora = changed.pop("lora", {"target_modules": "all-linear", "lora_dropout": 0.1})
        if lora:
            model = get_peft_model(model, LoraConfig(r=16, task_type="CAUSAL_LM", **lora))
        eval_dataset = changed.pop("eval_dataset", None)
        sft = request.param == "SFTTrainer"
        values: dict[str, Any] = {
            "output_dir": str(folder),
            "per_device_train_batch_size": 2,
            "gradient_accumulation_steps": 2,
            "max_steps": 6,
            "learning_rate": 1e-2,
            "logging_steps": 1,
            "use_cpu": True,
            "bf16": False,
            "activation_checkpointing": False,
            "report_to": "none",
            "save_strategy": "no",
            "seed": 11,
            "include_num_input_tokens_seen": "non_padding",
            **({"dataset_kwargs": {"skip_prepare_dataset": True}} if sft else {}),
            **changed,
        }
        arguments = (SFTConfig if sft else TrainingArguments)(**values)
        callbacks: list[Any] = [RunLog(folder)]
        if questions:
            callbacks.append(SampleAnswers(tokenizer, questions, folder, max_new_tokens=12))
        trainer = (SFTTrainer if sft else Trainer)(
            model=model,
            args=arguments,
            train_dataset=rows(tokenizer),
            eval_dataset=eval_dataset,
            processing_class=tokenizer,
            data_collator=DataCollatorForLanguageModeling(pad_token_id=tokenizer.pad_token_id),
            callbacks=callbacks,
        )
        trainer.remove_callback(ProgressCallback)
        return trainer

    return made


def lines_of(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def trained_weights(trainer: Any) -> dict[str, torch.Tensor]:
    return {n: p.detach() for n, p in trainer.model.named_parameters() if p.requires_grad}


def test_the_collator_masks_padding_by_position_not_by_id() -> None:
    collator = DataCollatorForLanguageModeling(pad_token_id=5)
    batch = collator(
        [{"input_ids": [1, 5], "labels": [-100, 5]}, {"input_ids": [1], "labels": [1]}]
    )
    assert batch["labels"].tolist() == [[-100, 5], [1, -100]]
    assert batch["attention_mask"].tolist() == [[1, 1], [1, 0]]


def test_metrics_have_one_schema_and_count_tokens_without_padding(
    make_trainer: MakeTrainer, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    trainer = make_trainer(
        eval_dataset=rows(tokenizer_of(), PAIRS[:3]),
        eval_strategy="steps",
        eval_steps=5,
        max_steps=5,
    )
    # Two epochs: 10 rows are 5 passes, so the third step has one pass only.
    trainer.train()
    lines = lines_of(tmp_path / "metrics.jsonl")
    assert all(list(line) == KEYS for line in lines)
    logged = [line for line in lines if line["loss"] is not None]
    assert [line["step"] for line in logged] == [1, 2, 3, 4, 5]
    per_epoch = sum(len(row) for row in trainer.train_dataset["input_ids"])
    assert logged[2]["tokens_seen"] == per_epoch
    assert per_epoch < logged[4]["tokens_seen"] < 2 * per_epoch
    assert all(line["tokens_per_s"] > 0 and line["grad_norm"] > 0 for line in logged)
    assert logged[0]["learning_rate"] == pytest.approx(1e-2)
    evaluated = [line for line in lines if line["eval_loss"] is not None]
    assert [line["step"] for line in evaluated] == [5] and evaluated[0]["loss"] is None
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")
    shown = capfd.readouterr()
    assert "{'loss'" not in shown.out + shown.err, "the trainer's own log lines are off"
    told = [line for line in shown.err.splitlines() if line.startswith("step ")]
    assert told[0].startswith("step 1 of 5 (20%)") and told[0].endswith(" left")
    assert told[-1].startswith("step 5 of 5 (100%), loss ") and " tokens/s, " in told[-1]
    assert "training:" not in shown.err, "no bar in what is not a terminal"


def test_a_new_run_replaces_metrics_and_a_resumed_run_continues_them(
    make_trainer: MakeTrainer, tmp_path: Path
) -> None:
    make_trainer(save_strategy="steps", save_steps=4, questions=QUESTIONS[:1]).train()
    whole = lines_of(tmp_path / "metrics.jsonl")
    asked = lines_of(tmp_path / "samples.jsonl")
    make_trainer(questions=QUESTIONS[:1]).train(
        resume_from_checkpoint=str(tmp_path / "checkpoint-4")
    )
    again = lines_of(tmp_path / "metrics.jsonl")
    assert [line["step"] for line in again] == [1, 2, 3, 4, 5, 6]
    compared = ("step", "loss", "grad_norm", "tokens_seen")
    assert [[line[k] for k in compared] for line in again] == [
        [line[k] for k in compared] for line in whole
    ]
    resumed = lines_of(tmp_path / "samples.jsonl")
    assert [line["step"] for line in resumed] == [0, 4, 6]
    assert [resumed[0], resumed[2]] == asked
    make_trainer(max_steps=1).train()
    assert [line["step"] for line in lines_of(tmp_path / "metrics.jsonl")] == [1]


def test_sampling_leaves_training_bit_for_bit_the_same(
    make_trainer: MakeTrainer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    evaluation = {
        "eval_dataset": rows(tokenizer_of(), PAIRS[:2]),
        "eval_strategy": "steps",
        "eval_steps": 2,
    }
    plain = make_trainer(tmp_path / "plain", **evaluation)
    plain.train()
    sampled = make_trainer(tmp_path / "sampled", questions=QUESTIONS, **evaluation)
    sampled.model.base_model.model.lm_head.eval()  # a mode of its own, which must come back
    sampled.train()
    before, after = trained_weights(plain), trained_weights(sampled)
    assert before.keys() == after.keys() and len(before) > 0
    assert all(torch.equal(before[name], after[name]) for name in before)
    losses = [
        [line["loss"] for line in lines_of(tmp_path / name / "metrics.jsonl")]
        for name in ("plain", "sampled")
    ]
    assert losses[0] == losses[1]
    samples = lines_of(tmp_path / "sampled" / "samples.jsonl")
    assert [line["step"] for line in samples] == [0, 0, 2, 2, 4, 4, 6, 6]
    assert [line["question"] for line in samples] == QUESTIONS * 4
    assert list(samples[0]) == ["step", "question", "answer"]
    printed = capsys.readouterr().out
    assert "before training" in printed and "after training" in printed
    assert all(question in printed for question in QUESTIONS)


def test_both_trainers_memorise_and_answer(make_trainer: MakeTrainer, tmp_path: Path) -> None:
    trainer = make_trainer(
        questions=[question for question, _ in PAIRS],
        max_steps=80,
        per_device_train_batch_size=5,
        lora={"target_modules": "all-linear"},
    )
    trainer.train()
    losses = [line["loss"] for line in lines_of(tmp_path / "metrics.jsonl")]
    assert losses[-1] < 0.1 * losses[0]
    last = [line for line in lines_of(tmp_path / "samples.jsonl") if line["step"] == 80]
    right = [line["answer"] == answer for line, (_, answer) in zip(last, PAIRS, strict=True)]
    assert sum(right) >= 9


def test_summary_shows_the_arithmetic(
    make_trainer: MakeTrainer, capsys: pytest.CaptureFixture[str]
) -> None:
    trainer = make_trainer(max_steps=-1, num_train_epochs=4)
    capsys.readouterr()
    preflight(trainer)
    text = capsys.readouterr().out
    ids, labels = trainer.train_dataset["input_ids"], trainer.train_dataset["labels"]
    tokens = sum(map(len, ids))
    trained = sum(label != -100 for row in labels for label in row)
    longest = max(map(len, ids))
    assert token_counts(trainer.train_dataset) == (tokens, trained, longest)
    assert f"10 rows, {tokens:,} tokens, {trained} of them trained" in text
    assert f"longest row {longest}" in text
    assert "2 rows × 1 process × 2 passes = 4 rows a step" in text
    assert "12 (3 an epoch × 4)" in text
    trainable, total = parameter_counts(trainer.model)
    assert trainable == sum(p.numel() for p in trained_weights(trainer).values())
    assert total == sum(p.numel() for p in trainer.model.parameters())
    assert f"{trainable:,} of {total:,} trainable ({trainable / total:.2%})" in text
    assert "trained float32; frozen float32" in text and "cpu" in text
    trainer.train()
    assert trainer.state.global_step == 12


def test_token_counts_follow_a_selection_of_the_rows() -> None:
    dataset = rows(tokenizer_of())
    chosen = dataset.select([7, 2])
    assert token_counts(chosen)[0] == sum(len(dataset[i]["input_ids"]) for i in (7, 2))


def test_processes_that_do_not_train_together_stop_the_run(
    make_trainer: MakeTrainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    trainer = make_trainer()
    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(RunStopped, match="2 processes were started but 1 train together"):
        preflight(trainer)


def test_nothing_trainable_stops_the_run(make_trainer: MakeTrainer) -> None:
    trainer = make_trainer()
    for weight in trainer.model.parameters():
        weight.requires_grad_(False)
    with pytest.raises(RunStopped, match=r"none of the .* parameters is trainable"):
        preflight(trainer)


@pytest.mark.parametrize("lora", [{"target_modules": "all-linear"}, None], ids=["lora", "full"])
def test_the_result_reloads_with_equal_logits(
    make_trainer: MakeTrainer,
    tmp_path: Path,
    lora: dict[str, Any] | None,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("FTC_CACHE", str(tmp_path / "cache"))
    trainer = make_trainer(tmp_path / "run", lora=lora, max_steps=2)
    tokenizer = trainer.processing_class
    tokenizer.chat_template = "{# as trained #}\r\n" + tokenizer.chat_template + "\n"
    trainer.model.generation_config.eos_token_id = [256]
    trainer.model.generation_config.repetition_penalty = 1.5
    trainer.train()
    capsys.readouterr()
    final = tmp_path / "run" / "final"
    save_result(trainer, tokenizer, final, base=BUILTIN)
    assert str(final) in capsys.readouterr().out

    assert (final / "chat_template.jinja").read_bytes() == tokenizer.chat_template.encode()
    assert (final / "adapter_config.json").exists() == (lora is not None)
    saved = json.loads((final / "generation_config.json").read_text())
    turn_end = tokenizer.convert_tokens_to_ids("<|im_end|>")
    assert {256, turn_end} <= set(saved["eos_token_id"])
    assert saved["repetition_penalty"] == 1.5
    assert json.loads((final / "base.json").read_text())["source"] == BUILTIN

    shutil.rmtree(tmp_path / "cache")
    model, again = load_result(final)
    batch = {"input_ids": torch.tensor([rows(tokenizer)[0]["input_ids"]])}
    with torch.no_grad():
        expected = trainer.model.eval()(**batch).logits
        assert torch.equal(model(**batch).logits, expected)
    assert model.generation_config.eos_token_id == saved["eos_token_id"]
    assert again("a<|im_end|>")["input_ids"] == tokenizer("a<|im_end|>")["input_ids"]


def test_a_base_that_changed_since_is_refused(make_trainer: MakeTrainer, tmp_path: Path) -> None:
    trainer = make_trainer(max_steps=1)
    trainer.train()
    save_result(trainer, trainer.processing_class, tmp_path / "final", base=BUILTIN)
    record = json.loads((tmp_path / "final" / "base.json").read_text())
    (tmp_path / "final" / "base.json").write_text(json.dumps({**record, "version": 99}))
    with pytest.raises(RunStopped, match="version 99"):
        load_result(tmp_path / "final")
    with pytest.raises(RunStopped, match="holds no result"):
        load_result(tmp_path)
