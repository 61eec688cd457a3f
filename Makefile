# make demo    shows the explorer in JupyterLab (NO_BROWSER=1 only prints the address)
# make test    every check and every test, the browser's included
# make bench   what the budgets of the design are, measured
#
# Needs Python ≥ 3.11, Node.js with npm, and make. Everything goes into .venv and js/node_modules;
# an active virtual environment is neither used nor touched. PYTHON=python3.13 picks another Python.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STATIC := nz_explorer/widget/static
PACKAGES := js/node_modules/.package-lock.json
SOURCES := $(shell find js -path js/node_modules -prune -o -type f \
	-not -name '*.test.*' -not -path 'js/test*' -not -name hatch_build.py -print)

# What another environment exports must not leak into ours.
unexport VIRTUAL_ENV PYTHONPATH PYTHONHOME

.PHONY: demo test lint types js pytest browser bench screenshots notebooks front protocol clean
.DELETE_ON_ERROR:

demo: $(VENV)/lab.done front
	@$(BIN)/nz-explorer demo $(if $(NO_BROWSER),--no-browser)

# One after the other also under -j, so that pytest's summary is the last thing printed.
test: $(VENV)/test.done front browser
	@$(MAKE) --no-print-directory lint
	@$(MAKE) --no-print-directory -j2 --output-sync=target types js
	@$(MAKE) --no-print-directory pytest

lint: $(VENV)/test.done
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/test.done
	$(BIN)/mypy

js: $(PACKAGES)
	cd js && npm run --silent typecheck
	cd js && npm run --silent lint
	cd js && npm run --silent test

# One process has the browser, the others share the rest.
pytest: $(VENV)/test.done front browser
	$(BIN)/python -m pytest --numprocesses=2 --dist=loadgroup

browser: $(VENV)/test.done
	@$(BIN)/python tests/e2e/browser.py

# Measures the budgets beside zarr, xarray and dask, in one run; BENCH_JSON=file keeps the figures.
bench: $(VENV)/test.done
	@$(BIN)/python -m tests.benchmarks $(BENCH_JSON)

# Takes the README's pictures again, from real JupyterLab.
screenshots: $(VENV)/test.done front browser
	$(BIN)/python tests/screenshots.py

# Runs the lesson and the notebook about broken data, and saves what they show.
notebooks: $(VENV)/test.done front
	$(BIN)/python -m tests.notebooks

# After a change of nz_explorer/widget/protocol.py: its schema and the types of the front end.
protocol: $(VENV)/test.done
	$(BIN)/python -c 'import json; from nz_explorer.widget.protocol import schema; \
		print(json.dumps(schema(), indent=2))' > js/protocol.schema.json
	cd js && npm run --silent types

front: $(STATIC)/widget.js

$(STATIC)/widget.js: $(PACKAGES) $(SOURCES)
	cd js && npm run --silent build
	@touch $@

$(PACKAGES): js/package-lock.json
	@command -v npm >/dev/null || { echo "npm was not found: install Node.js, which brings it" >&2; exit 1; }
	cd js && npm ci --no-audit --no-fund
	@touch $@

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "nz_explorer needs Python 3.11 or newer; PYTHON=… says which one to use" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

# Editable, so that what runs is what is here. The build hook finds the front end fresh.
$(VENV)/lab.done: pyproject.toml | $(BIN)/python front
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[lab]'
	@touch $@

$(VENV)/test.done: pyproject.toml | $(BIN)/python front
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	@touch $@ $(VENV)/lab.done

clean:
	rm -rf $(VENV) js/node_modules $(STATIC) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find nz_explorer tests js -name __pycache__ -prune -exec rm -rf {} +
