"""`hardware`: what a run is meant for."""

# Annotations stay unpostponed: the reader takes types and docs from them.

from ftlang.schema.annotated import Annotated
from ftlang.schema.block import Block, Family
from ftlang.schema.numbers import Int
from ftlang.schema.sizes import Bytes
from ftlang.schema.types import Doc
from ftlang.schema.words import Word


class Hardware(Block):
    """What the run is meant for.  Without `gpus_per_node` the script takes what it finds."""

    nodes: Annotated[
        int,
        Int(at_least=1, at_most=4096, planned_above=1),
        Doc("How many machines; 1 in this release.", check_only=True),
    ] = 1
    gpus_per_node: Annotated[
        int | None,
        Int(at_least=0, at_most=1024),
        Doc("How many devices; 0 for a CPU, absent for what is there."),
    ] = None
    gpu: Annotated[
        str | None,
        Word("the name of a GPU, such as `h100`"),
        Doc("Which GPU the run is meant for; read by rules only.", check_only=True),
    ] = None
    gpu_memory: Annotated[
        int | None,
        Bytes(),
        Doc("Memory of one GPU; read by rules only.", check_only=True),
    ] = None
    kind: str = ""


HARDWARE = Family("hardware", {"": Hardware}, doc="What the run is meant for.")
