"""`export`, `publish`, `hook`: what becomes of the result, and the user's own code on the way."""

# Annotations stay unpostponed: the reader takes types and docs from them.
from typing import ClassVar

from ftlang.schema.annotated import Annotated
from ftlang.schema.block import METHOD_CONFIG, Block
from ftlang.schema.lookups import Secrecy
from ftlang.schema.places import Repository
from ftlang.schema.python import Python, UserCode
from ftlang.schema.sources import Secret
from ftlang.schema.types import Doc
from ftlang.schema.words import Choice, Flag, ListOf


class Export(Block):
    """Other forms of the result."""

    merge: Annotated[
        bool, Flag(), Doc("Adapters merged into the weights, in `merged`.", planned=True)
    ] = False
    gguf: Annotated[
        tuple[str, ...],
        ListOf(Choice(("f32", "f16", "bf16", "q8_0", "q4_k_m"))),
        Doc("GGUF files, one for each of these types.", planned=True),
    ] = ()
    kind: str = ""


class Publish(Block):
    """The result in a repository of the hub."""

    passes: ClassVar[tuple[str, ...]] = (METHOD_CONFIG,)

    repo: Annotated[str, Repository(), Doc("Where to.", "SFTConfig.hub_model_id", planned=True)]
    private: Annotated[
        bool | None,
        Flag(),
        Doc("Whether only you can see it.", "SFTConfig.hub_private_repo", planned=True),
    ] = None
    token: Annotated[
        Secret | None,
        Secrecy(),
        Doc("What lets you write there.", "SFTConfig.hub_token", planned=True),
    ] = None
    kind: str = ""


class Hook(Block):
    """`hook NAME { … }`: a function of the user at one place of the script."""

    callback: Annotated[
        UserCode | None, Python(maker=True), Doc("A `TrainerCallback`.", planned=True)
    ] = None
    loss: Annotated[
        UserCode | None,
        Python(("outputs", "labels", "num_items_in_batch")),
        Doc("The loss.", planned=True),
    ] = None
    metrics: Annotated[
        UserCode | None,
        Python(("prediction",)),
        Doc("Metrics of an evaluation.", planned=True),
    ] = None
    collator: Annotated[
        UserCode | None,
        Python(("features",)),
        Doc("What makes a batch of rows.", planned=True),
    ] = None
    optimizer: Annotated[
        UserCode | None, Python(("model", "arguments")), Doc("The optimizer.", planned=True)
    ] = None
    model: Annotated[
        UserCode | None,
        Python(("model",)),
        Doc("A change of the model once it is loaded.", planned=True),
    ] = None
    before_train: Annotated[
        UserCode | None, Python(("trainer",)), Doc("What runs before the first step.", planned=True)
    ] = None
    after_train: Annotated[
        UserCode | None, Python(("trainer",)), Doc("What runs after the last.", planned=True)
    ] = None
    kind: str = ""
