#!/usr/bin/env bash
# Starts full_gpus; made by ftc from spec.ft.  PYTHON selects the interpreter.
set -euo pipefail
cd "$(dirname "$0")"
python=${PYTHON:-python}
exec "$python" -m torch.distributed.run --standalone --nproc-per-node 8 train.py
