#!/usr/bin/env bash
# Starts quickstart; made by ftc from quickstart.ft.  PYTHON selects the interpreter.
set -euo pipefail
cd "$(dirname "$0")"
python=${PYTHON:-python}
exec "$python" train.py
