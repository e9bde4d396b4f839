"""`model { … }`: the weights to start from, and how they are stored."""

# Annotations stay unpostponed: the reader takes types and docs from them.
from collections.abc import Mapping
from typing import ClassVar

from ftlang.schema.annotated import Annotated
from ftlang.schema.block import Block, Family
from ftlang.schema.constructors import BASE
from ftlang.schema.later import PROCESSOR
from ftlang.schema.numbers import Float
from ftlang.schema.sources import Builtin, Gguf, Hf, LocalPath, Result
from ftlang.schema.types import Doc
from ftlang.schema.words import Choice, Flag, ListOf, Word

Base = Hf | LocalPath | Gguf | Builtin | Result

DTYPES = ("float32", "bfloat16", "float16")
ATTENTION = (
    "sdpa",
    "eager",
    "flash_attention_2",
    "flash_attention_3",
    "flex_attention",
)


class Bnb(Block):
    """What both kinds of bitsandbytes take."""

    passes: ClassVar[tuple[str, ...]] = ("BitsAndBytesConfig",)

    llm_int8_skip_modules: Annotated[
        tuple[str, ...] | None,
        ListOf(Word("the name of a module")),
        Doc(
            "Modules that stay as they are; absent: the head.",
            "BitsAndBytesConfig.llm_int8_skip_modules",
        ),
    ] = None


class Bnb4Bit(Bnb):
    """4-bit weights by bitsandbytes, `nf4` or `fp4`; only adapters on them can be trained."""

    withheld: ClassVar[frozenset[str]] = frozenset({"llm_int8_has_fp16_weight"})

    bnb_4bit_use_double_quant: Annotated[
        bool,
        Flag(),
        Doc(
            "Quantize the quantization constants too.",
            "BitsAndBytesConfig.bnb_4bit_use_double_quant",
        ),
    ] = False
    bnb_4bit_compute_dtype: Annotated[
        str | None,
        Choice(DTYPES),
        Doc(
            "What the weights are expanded to for a product.",
            "BitsAndBytesConfig.bnb_4bit_compute_dtype",
        ),
    ] = None
    bnb_4bit_quant_storage: Annotated[
        str | None,
        Choice(("uint8", *DTYPES)),
        Doc(
            "The type that packed weights are stored as; a sharded model needs that of its others.",
            "BitsAndBytesConfig.bnb_4bit_quant_storage",
        ),
    ] = None
    kind: str = "nf4"


class Bnb8Bit(Bnb):
    """8-bit weights by bitsandbytes (LLM.int8); only adapters on them can be trained."""

    llm_int8_threshold: Annotated[
        float,
        Float(at_least=0.0),
        Doc(
            "Activations above it stay in 16 bits.",
            "BitsAndBytesConfig.llm_int8_threshold",
        ),
    ] = 6.0
    kind: str = "int8"


class OtherQuantization(Block):
    """Another of Transformers' quantizations."""

    kind: str = ""


Quantize = Bnb4Bit | Bnb8Bit

QUANTIZE = Family(
    "quantize",
    {"nf4": Bnb4Bit, "fp4": Bnb4Bit, "int8": Bnb8Bit},
    default=None,
    table="quantizations",
    other=OtherQuantization,
    doc="How frozen base weights are stored.",
    optional=True,
)


class Model(Block):
    """The weights to start from."""

    families: ClassVar[Mapping[str, Family]] = {"quantize": QUANTIZE, "processor": PROCESSOR}
    passes: ClassVar[tuple[str, ...]] = ("AutoModelForCausalLM.from_pretrained",)

    base: Annotated[Base, BASE, Doc("Where the weights and the tokenizer come from.")]
    dtype: Annotated[
        str | None,
        Choice(DTYPES),
        Doc(
            "How weights load; absent: float32 if trained, bfloat16 if frozen on a GPU.",
            "AutoModelForCausalLM.from_pretrained.dtype",
        ),
    ] = None
    attn_implementation: Annotated[
        str | None,
        Choice(ATTENTION),
        Doc(
            "The attention kernel.",
            "AutoModelForCausalLM.from_pretrained.attn_implementation",
        ),
    ] = None
    trust_remote_code: Annotated[
        bool,
        Flag(),
        Doc(
            "Run code that comes with the model.",
            "AutoModelForCausalLM.from_pretrained.trust_remote_code",
        ),
    ] = False
    class_: Annotated[
        str | None,
        Word("the name of a model class, such as `AutoModelForImageTextToText`"),
        Doc("Which class loads it; absent: by its configuration.", planned=True),
    ] = None
    quantize: Quantize | None = None
    kind: str = ""
