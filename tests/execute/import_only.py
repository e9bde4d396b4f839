"""Run by tests: imports emitted scripts and stops at any socket, file written or process group."""

import runpy
import sys

import torch
from accelerate.state import PartialState

watching = False


def watch(event: str, args: tuple) -> None:
    if not watching:
        return
    if event.startswith("socket."):
        raise RuntimeError(f"{event} while importing")
    if event == "open" and isinstance(args[1], str) and set(args[1]) & set("wax+"):
        raise RuntimeError(f"{args[0]} is opened for writing")
    if event in ("os.mkdir", "os.remove", "os.rename", "subprocess.Popen"):
        raise RuntimeError(f"{event} {args} while importing")


sys.dont_write_bytecode = True
sys.addaudithook(watch)
for script in sys.argv[1:]:
    watching = True
    names = runpy.run_path(script, run_name="emitted")
    watching = False
    for name in ("arguments", "tokenizer", "datasets", "model", "trainer"):
        assert callable(names[f"build_{name}"]), f"{script} lacks build_{name}"
    assert callable(names["main"])
    assert not torch.distributed.is_initialized()
    assert PartialState._shared_state == {}
    assert not torch.cuda.is_initialized()
print(f"imported {len(sys.argv) - 1}")
