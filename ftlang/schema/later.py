"""Families that are typed and that nothing is emitted for yet."""

from __future__ import annotations

from ftlang.schema.block import Family
from ftlang.schema.lazy import Classes

REWARD = Family(
    "reward",
    Classes("other_methods", {"": "Reward"}),
    default=None,
    doc="A signal that answers are scored by.",
    optional=True,
    planned=True,
    named=True,
)
MIXING = Family(
    "mixing",
    Classes("mixing", {"": "Mixing"}),
    default=None,
    doc="How several sets become one stream.",
    optional=True,
    planned=True,
)
PROCESSOR = Family(
    "processor",
    Classes("processors", {"": "Processor"}),
    default=None,
    doc="How pictures, sound and film become tokens.",
    optional=True,
    planned=True,
)
TEMPLATE = Family(
    "template",
    Classes("processors", {"": "Template"}),
    default=None,
    doc="A chat template, declared once and named everywhere.",
    optional=True,
    planned=True,
    named=True,
)
SHARD = Family(
    "shard",
    {},
    default=None,
    later=Classes(
        "sharding",
        {"fsdp2": "Fsdp2", "ddp": "Ddp", "zero1": "Zero", "zero2": "Zero", "zero3": "Zero"},
    ),
    doc="How the model is spread over devices.",
    optional=True,
)
LAUNCH = Family(
    "launch",
    {},
    default=None,
    later=Classes("sharding", {"torchrun": "Torchrun", "slurm": "Slurm"}),
    doc="How the run is started on several machines.",
    optional=True,
)
EXPORT = Family(
    "export",
    Classes("publishing", {"": "Export"}),
    default=None,
    doc="Other forms of the result.",
    optional=True,
    planned=True,
)
PUBLISH = Family(
    "publish",
    Classes("publishing", {"": "Publish"}),
    default=None,
    doc="The result in a repository of the hub.",
    optional=True,
    planned=True,
)
HOOK = Family(
    "hook",
    Classes("publishing", {"": "Hook"}),
    default=None,
    doc="The user's own code at a place of the script.",
    optional=True,
    planned=True,
    named=True,
)
