#!/usr/bin/env bash
# Starts support_full; made by ftc from support.ft.  PYTHON selects the interpreter.
set -euo pipefail
cd "$(dirname "$0")"
python=${PYTHON:-python}
exec "$python" train.py
