"""The language as records: complete, documented where it is emitted, and each name once."""

from __future__ import annotations

import pytest

from ftlang.schema import catalogue
from ftlang.schema.block import declared
from ftlang.schema.run import Run

KINDS = [(p.path, k.name) for p in catalogue.places() for k in p.kinds]


@pytest.mark.parametrize(("path", "kind"), KINDS, ids=[f"{p} {k}".strip() for p, k in KINDS])
def test_fields_are_typed_and_documented(path: str, kind: str) -> None:
    fields = catalogue.fields(path, kind)
    names = [f.name for f in fields]
    assert len(set(names)) == len(names)
    assert all(f.type.words() for f in fields)
    assert [f.name for f in fields if not f.doc and not f.planned] == []


def test_every_family_has_a_place() -> None:
    paths = [p.path for p in catalogue.places()]
    assert len(set(paths)) == len(paths)
    assert set(Run.families) <= set(paths)
    assert {"", "dataset", "template", "model.quantize", "method.reward"} <= set(paths)
    reward = catalogue.place("method.reward")
    assert reward.inside == ("grpo", "rloo", "ppo", "online_dpo")
    assert reward.planned


def test_fields_depend_on_the_method() -> None:
    def names(method: str) -> set[str]:
        return {f.name for f in catalogue.fields("training", method=method)}

    assert "activation_offloading" in names("sft")
    assert {f.name for f in catalogue.fields("method", "dpo")} >= {"beta", "loss_type", "reference"}
    assert all(
        f.home.startswith("DPOConfig.") for f in catalogue.fields("method", "dpo") if f.passed
    )


def test_a_field_that_passes_on_says_where_to() -> None:
    [field] = [f for f in catalogue.fields("tune", "lora") if f.name == "layers_pattern"]
    assert (field.home, field.passed, field.planned) == ("LoraConfig.layers_pattern", True, False)
    assert field.default is None


def test_what_is_not_there_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        catalogue.fields("tune", "lorra")
    with pytest.raises(KeyError):
        catalogue.fields("nothing")


def test_a_field_named_like_a_word_of_python() -> None:
    """Only planned fields may be, since a value would have to go by another name."""
    odd = [f for p, k in KINDS for f in catalogue.fields(p, k) if f.name == "class"]
    assert [f.planned for f in odd] == [True]
    assert "class" in declared(catalogue.place("model").family.kinds[""])
