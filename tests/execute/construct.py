"""Run by tests: constructs each script's arguments, a deprecated keyword being an error.

The machine has no GPU, so `use_cpu` is put in and the number of processes is not asked for; every
other keyword is the script's own.
"""

import functools
import runpy
import sys
import warnings
from pathlib import Path

warnings.simplefilter("error", FutureWarning)
warnings.simplefilter("error", DeprecationWarning)
for script in sys.argv[1:]:
    names = runpy.run_path(script, run_name="emitted")
    space = names["build_arguments"].__globals__
    space["require_processes"] = space["require_gpus"] = lambda count: None
    if "use_cpu=" not in Path(script).read_text(encoding="utf-8"):
        for name in {"SFTConfig", "TrainingArguments"} & space.keys():
            space[name] = functools.partial(space[name], use_cpu=True)
    arguments = names["build_arguments"]()
    assert arguments.output_dir
    print("MADE", type(arguments).__name__)
