#!/usr/bin/env bash
# Starts llama_lora; made by ftc from llama_lora.ft.  PYTHON selects the interpreter.
set -euo pipefail
cd "$(dirname "$0")"
python=${PYTHON:-python}
exec "$python" -m torch.distributed.run --standalone --nproc-per-node 8 train.py
