# The commands of this project; the README names the two that matter: `make demo` and `make test`.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
DEMO_TASK := python-tinydb-4.9.0
DEMO_OUT := .cache/demo

.PHONY: setup check test demo slow bench lock clean

setup: $(READY)

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Kaiju needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version 2>&1). Set PYTHON=..." >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "Python's venv module is missing. On Debian or Ubuntu: apt-get install python3-venv" >&2; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

check: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

test: setup
	$(BIN)/python -m pytest -m "not slow"

slow: setup
	$(BIN)/python -m pytest -m slow

# Prepares a task from a real library, serves it, and plays it over MCP with three agents.
demo: setup
	$(BIN)/kaiju tasks show $(DEMO_TASK) >/dev/null 2>&1 || $(BIN)/kaiju tasks prepare tinydb
	@rm -rf $(DEMO_OUT)
	$(BIN)/kaiju eval --tasks $(DEMO_TASK) --agent oracle --output $(DEMO_OUT)/oracle
	$(BIN)/kaiju eval --tasks $(DEMO_TASK) --agent stub --output $(DEMO_OUT)/stub
	$(BIN)/kaiju eval --tasks $(DEMO_TASK) --agent half --output $(DEMO_OUT)/half

bench: setup
	$(BIN)/kaiju bench

# Rewrites requirements.lock: hashes for every artefact, no index address.
lock: setup
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header \
		--group dev --output-file requirements.lock pyproject.toml

clean:
	rm -rf $(VENV) .cache dist build
