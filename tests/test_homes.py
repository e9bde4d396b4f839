"""Every library argument has exactly one home, and no home is of an argument that is not there."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Mapping

import pytest

from ftlang.schema import argument_docs, home_tables, homes, signatures
from ftlang.schema.block import Declared, Family, declared
from ftlang.schema.data import Dataset
from ftlang.schema.run import Run

NOT_CONFIGS = ("Trainer", "SFTTrainer")
CLASSES = [name for name in signatures.classes() if name not in NOT_CONFIGS]
GROUPS = {
    "trainer": [c for c in CLASSES if homes._group(c) == "trainer"],
    "tuner": ["PeftConfig", *signatures.tuners().values()],
    "quantization": list(signatures.quantizations().values()),
    "model": [homes.MODEL_LOADER],
    "tokenizer": [homes.TOKENIZER_LOADER],
}


def fields(families: Mapping[str, Family], prefix: str = "") -> Iterator[tuple[str, Declared]]:
    """Every declared field of every kind, with its path."""
    for name, family in families.items():
        for cls in dict.fromkeys((*family.kinds.values(), *family.later.values())):
            yield from ((f"{prefix}{name}.{f}", d) for f, d in declared(cls).items())
            yield from fields(cls.families, f"{prefix}{name}.")


def block_paths(families: Mapping[str, Family], prefix: str = "") -> Iterator[str]:
    """Paths of all blocks of a run."""
    for name, family in families.items():
        yield prefix + name
        for cls in (*family.kinds.values(), *family.later.values()):
            yield from block_paths(cls.families, f"{prefix}{name}.")


BLOCKS = set(block_paths(Run.families))
DECLARED = [*((f, d) for f, d in declared(Run).items()), *fields(Run.families)]


def exists(path: str) -> bool:
    """Whether a block, a field of ours or a passed argument has this path."""
    block, _, name = path.rpartition(".")
    if path in BLOCKS or any(path == p for p, _ in DECLARED):
        return True
    return any(name in homes.passed(block, c) for c in CLASSES)


@pytest.mark.parametrize("class_name", CLASSES)
def test_every_argument_has_exactly_one_home(class_name: str) -> None:
    passing: dict[str, str] = {}
    for block in homes.blocks():
        for name in homes.passed(block, class_name):
            assert name not in passing, f"{name}: {passing[name]} and {block}"
            passing[name] = block
    for name in signatures.arguments(class_name):
        home = homes.home(class_name, name)
        is_passed = name in passing
        assert is_passed + home.declared + (home.closed is not None) == 1, name
        assert bool(home.block) == (home.closed is None), name
        if is_passed:
            assert home.block == passing[name]
    assert passing.keys() <= set(signatures.arguments(class_name))


def test_tables_name_arguments_that_exist() -> None:
    def anywhere(name: str, group: str) -> bool:
        return any(signatures.has(c, name) for c in GROUPS[group])

    listed = [(n, "trainer") for names in home_tables.TRAINER.values() for n in names]
    listed += [(n, "model") for n in home_tables.MODEL]
    listed += [(n, "tokenizer") for n in home_tables.TOKENIZER]
    listed += [(n, group) for group, names in home_tables.CLOSED.items() for n in names]
    assert [entry for entry in listed if not anywhere(*entry)] == []
    assert len(set(listed)) == len(listed), "an argument is in two places"
    for class_name, name in home_tables.CLOSED_OF_CLASS:
        assert signatures.has(class_name, name)
        assert name not in home_tables.CLOSED[homes._group(class_name)]


def test_closed_arguments_name_a_field_that_exists() -> None:
    tables = [*home_tables.CLOSED.values(), home_tables.CLOSED_OF_CLASS]
    named = {by for table in tables for by, _ in table.values() if by}
    assert [by for by in sorted(named) if not exists(by)] == []
    assert all(why and why[-1] != "." for table in tables for _, why in table.values())


@pytest.mark.parametrize(("path", "field"), DECLARED, ids=[p for p, _ in DECLARED])
def test_declared_fields_stand_where_their_argument_lives(path: str, field: Declared) -> None:
    if not field.doc.home:
        if field.doc.planned:
            return
        block = path.rpartition(".")[0]
        having = [c for c in GROUPS["trainer"] if signatures.has(c, field.name)]
        named = [c for c in having if homes.home(c, field.name).block == block]
        assert not named, f"{path} has the name of an argument of {named} but no home in its Doc"
        return
    class_name, _, argument = field.doc.home.rpartition(".")
    home = homes.home(class_name, argument)
    if argument == field.name:
        assert home.declared
        assert home.block == path.rpartition(".")[0]
    else:
        assert home.closed is not None
        assert home.closed.by == path


def test_a_dataset_sets_no_library_argument() -> None:
    assert [d.name for d in declared(Dataset).values() if d.doc.home] == []


def test_some_homes() -> None:
    assert homes.home("SFTConfig", "learning_rate") == homes.Home("optimizer", declared=True)
    assert homes.home("SFTConfig", "neftune_noise_alpha") == homes.Home("training")
    assert homes.home("DPOConfig", "beta").block == "method"
    assert "dataloader_num_workers" in homes.passed("data", "SFTConfig")
    assert "r" in homes.passed("tune", "AdaLoraConfig")
    assert "r" not in homes.passed("tune", "LoraConfig")
    assert "group_size" in homes.passed("model.quantize", "GPTQConfig")
    closed = homes.closed("per_device_train_batch_size")
    assert closed is not None
    assert closed.by == "training.micro_batch"
    assert homes.closed("beta") is None
    eva = homes.closed("eva_config", "LoraConfig")
    assert eva is not None
    assert "EvaConfig" in eva.why
    assert homes.closed("revision", "LoraConfig") == homes.closed("revision", homes.MODEL_LOADER)
    with pytest.raises(KeyError, match="SFTConfig has no argument nonsense"):
        homes.home("SFTConfig", "nonsense")


# Every argument that an SFT run passes has its line, and so has every one of a method's config.
DOCUMENTED = [
    *("SFTConfig", "DPOConfig", "KTOConfig", "RewardConfig", "GRPOConfig", "RLOOConfig"),
    *("ORPOConfig", "CPOConfig", "LoraConfig", "BitsAndBytesConfig"),
    *(homes.MODEL_LOADER, homes.TOKENIZER_LOADER),
]


def test_passed_arguments_have_a_line_and_lines_an_argument() -> None:
    passing = {
        (name, class_name)
        for class_name in DOCUMENTED
        for block in homes.blocks()
        for name in homes.passed(block, class_name)
    }
    assert sorted((n, c) for n, c in passing if not argument_docs.doc(n, c)) == []
    own = {(c, n) for c in CLASSES for n in signatures.arguments(c)}
    assert sorted(set(argument_docs.ARGUMENTS) - {n for _, n in own}) == []
    assert sorted(set(argument_docs.OF_CLASS) - own) == []
    lines = [*argument_docs.ARGUMENTS.values(), *argument_docs.OF_CLASS.values()]
    assert [line for line in lines if not line.endswith(".") or len(line) > 90] == []


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed")
def test_passed_arguments_construct_a_config() -> None:
    from trl import SFTConfig

    known = [
        signatures.argument("SFTConfig", name)
        for block in homes.blocks()
        for name in homes.passed(block, "SFTConfig")
    ]
    given = {a.name: a.default for a in known if not (a.opaque or a.required)}
    made = SFTConfig(
        output_dir="out", use_cpu=True, bf16=False, activation_checkpointing=False, **given
    )
    assert made.dataloader_num_workers == given["dataloader_num_workers"]
