#!/usr/bin/env bash
# Starts second; made by ftc from spec.ft.  PYTHON selects the interpreter.
set -euo pipefail
cd "$(dirname "$0")"
python=${PYTHON:-python}
gpus=$("$python" -c "import torch; print(torch.cuda.device_count())")
if [ "$gpus" -gt 1 ]; then
  exec "$python" -m torch.distributed.run --standalone --nproc-per-node "$gpus" train.py
fi
exec "$python" train.py
