# All set-up is in here: `make demo` and `make test` need Python 3.11+ and nothing else.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.locked
# Many tests wait for processes and time limits, so more workers than cores pay off.
WORKERS ?= 4

.PHONY: setup demo serve test soak bench test-consumers check fix openapi lock

setup: $(STAMP)

$(STAMP): requirements-dev.lock requirements-tokens.lock requirements-uv.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Tripbook needs Python 3.11 or newer; set PYTHON=...")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-uv.lock
	@$(BIN)/uv pip sync --quiet --python $(BIN)/python --require-hashes requirements-dev.lock
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes --no-deps -r requirements-tokens.lock
	@touch $(STAMP)

demo: setup
	@$(BIN)/python -m service demo $(ARGS)

serve: setup
	@$(BIN)/python -m service serve $(ARGS)

test: setup
	@if [ -n "$(TRIPBOOK_CI)" ]; then tests/browser/install-chromium; fi
	@$(BIN)/python -m pytest -q --numprocesses $(WORKERS) --dist worksteal $(ARGS)

# The long form of the fault suite; minutes to hours.
soak: setup
	@TRIPBOOK_SOAK=1 $(BIN)/python -m pytest -q -s tests/faults $(ARGS)

# Prints how long `python -m clients mcp` takes to answer; ARGS="20" is the number of starts.
bench: setup
	@$(BIN)/python bench/mcp_start.py $(ARGS)

# Real clients, each in its own environment under .consumers/; ARGS="--check" or names of some of them.
test-consumers: setup
	@$(BIN)/python -m tests.consumers $(ARGS)

check: setup
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache
	@$(BIN)/python -m service migrate --check
	@$(BIN)/python -m service openapi --check

fix: setup
	@$(BIN)/ruff check --fix --quiet .
	@$(BIN)/ruff format --quiet .

openapi: setup
	@$(BIN)/python -m service openapi

LOCK := $(BIN)/uv pip compile --quiet --upgrade --generate-hashes --no-emit-index-url --universal --python-version 3.11

lock: setup
	@$(LOCK) pyproject.toml --extra mcp -o requirements.lock
	@$(LOCK) pyproject.toml --all-extras --group dev -o requirements-dev.lock
	@$(LOCK) --group uv -o requirements-uv.lock
	@$(LOCK) --no-deps --group tokens -o requirements-tokens.lock
	@for name in $(basename $(notdir $(wildcard tests/consumers/locks/*.in))); do \
	  $(LOCK) $$(test $$name != openwebui-wheel || echo --no-deps) \
	    tests/consumers/locks/$$name.in -o tests/consumers/locks/$$name.lock; done
