#!/usr/bin/env bash
# Starts packed; made by ftc from spec.ft.  PYTHON selects the interpreter.
set -euo pipefail
cd "$(dirname "$0")"
python=${PYTHON:-python}
exec "$python" train.py
