"""What emitted scripts call beside TRL, PEFT and Transformers.

Importing it silences two lines that the tested libraries say on every start and that no reader
can act on: bitsandbytes' about a CPU kernel that it does without, and a deprecation that
transformers raises against itself while generating.
"""

import logging
import warnings

logging.getLogger("bitsandbytes.backends.cpu.ops").setLevel(logging.ERROR)
warnings.filterwarnings("ignore", "`is_gradient_checkpointing` is deprecated", FutureWarning)
