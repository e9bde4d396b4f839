"""The fine-tuning compiler: `.ft` specs in, a readable training script out."""

__version__ = "0.1.0"
