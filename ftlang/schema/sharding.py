"""`shard`, `launch`: how a run is spread over devices and machines."""

# Annotations stay unpostponed: the reader takes types and docs from them.
from typing import ClassVar

from ftlang.schema.annotated import Annotated
from ftlang.schema.block import METHOD_CONFIG, Block
from ftlang.schema.lookups import RuntimeText
from ftlang.schema.numbers import Int
from ftlang.schema.sizes import Duration
from ftlang.schema.sources import Env
from ftlang.schema.types import Doc
from ftlang.schema.words import Choice, Flag, ListOf, Text


class Ddp(Block):
    """A whole copy of the model on each device."""

    passes: ClassVar[tuple[str, ...]] = (METHOD_CONFIG,)
    kind: str = "ddp"


class Parallel(Ddp):
    """Weights split over devices."""

    tp: Annotated[
        int, Int(at_least=1), Doc("Devices that share each layer's weights.", planned=True)
    ] = 1
    cp: Annotated[
        int, Int(at_least=1), Doc("Devices that share each long sequence.", planned=True)
    ] = 1
    sp: Annotated[
        int, Int(at_least=1), Doc("Devices that share a sequence by attention heads.", planned=True)
    ] = 1


class Fsdp2(Parallel):
    """PyTorch's fully sharded data parallelism, version 2."""

    reshard_after_forward: Annotated[
        bool, Flag(), Doc("Free gathered weights between forward and backward.", planned=True)
    ] = True
    offload: Annotated[
        tuple[str, ...],
        ListOf(Choice(("optimizer", "parameters"))),
        Doc("What is kept in main memory.", planned=True),
    ] = ()
    kind: str = "fsdp2"


class Zero(Parallel):
    """DeepSpeed's ZeRO: optimizer states, gradients and weights split over devices."""

    offload: Annotated[
        tuple[str, ...],
        ListOf(Choice(("optimizer", "parameters"))),
        Doc("What is kept in main memory.", planned=True),
    ] = ()
    kind: str = "zero2"


class Torchrun(Block):
    """Started by hand on each machine."""

    master: Annotated[
        Env | str | None, RuntimeText(), Doc("Address of the first machine.", planned=True)
    ] = None
    port: Annotated[
        int | None,
        Int(at_least=1, at_most=65535),
        Doc("The port there.", planned=True),
    ] = None
    kind: str = "torchrun"


class Slurm(Block):
    """Queued by Slurm."""

    partition: Annotated[Env | str | None, RuntimeText(), Doc("The queue.", planned=True)] = None
    account: Annotated[Env | str | None, RuntimeText(), Doc("Who pays.", planned=True)] = None
    time: Annotated[int | None, Duration(), Doc("The longest it may take.", planned=True)] = None
    qos: Annotated[
        Env | str | None, RuntimeText(), Doc("The quality of service.", planned=True)
    ] = None
    constraint: Annotated[
        Env | str | None, RuntimeText(), Doc("Features that nodes must have.", planned=True)
    ] = None
    cpus_per_task: Annotated[
        int | None, Int(at_least=1), Doc("CPU cores for each process.", planned=True)
    ] = None
    options: Annotated[
        tuple[str, ...], ListOf(Text()), Doc("Further lines for sbatch.", planned=True)
    ] = ()
    kind: str = "slurm"
