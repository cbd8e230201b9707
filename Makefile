# Everything a person does with lastro. It needs Python 3.11 or newer; the rest is installed into .venv.
# PYTHON=/path/to/python chooses another Python, ARGS="tests/rooms -k payout" narrows `make test`.

SHELL := /bin/sh
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

VENV := .venv
BIN := $(VENV)/bin
# Workers wait for the database more than they compute, so there are more of them than small machines have cores. Each begins
# with what stands together and takes from the others when it has nothing left, so that none is idle at the end.
WORKERS ?= 4
ARGS ?=
# What make check tries of the house; nothing where all tests run beside it.
CHECKED ?= tests/house/test_sizes.py tests/house/test_places.py tests/house/test_layers.py
PIP := $(BIN)/python -m pip --disable-pip-version-check
# Installs a lock file. A terminal sees which package pip is at, so that nobody looks at nothing for a minute; a log does not.
INSTALLED = { PYTHONUNBUFFERED=1 $(PIP) install --progress-bar off --require-hashes -r $(1) && echo installed; } | { \
  n=0; code=1; of=$$(grep -c == $(1)); \
  while read -r word name rest; do \
    case $$word in \
      Collecting) n=$$((n + 1)); step="$$n of $$of  $$name";; \
      Requirement) n=$$((n + 1)); step="$$n of $$of";; \
      Installing) step="unpacking";; \
      installed) code=0; step="";; \
    esac; \
    if [ -t 1 ]; then printf '\r\033[K%s' "$${step:+  $$step}"; fi; \
  done; exit $$code; }

.PHONY: help run mcp test fuzz storm model check bench demo screenshots docs verify lock clients

help: ## What there is
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: $(VENV)/.run ## Start the whole sandbox: database, API, worker, simulated networks
	@exec $(BIN)/lastro run

mcp: $(VENV)/.mcp ## Install what `lastro mcp` needs beside the rest: the tools of an agent

test: $(VENV)/.dev ## Run all tests (ARGS="..." for some of them, ON="2027-02-06 07:00" as if it were then, by UTC)
	@if [ -n "$(ON)" ]; then \
	  ahead=$$(($$(date -ud "$(ON)" +%s) - $$(date +%s))) || exit 1; \
	  $(CC) -O2 -shared -fPIC -DAHEAD="$$ahead" -o $(VENV)/another_day.so tests/another_day.c -ldl || exit 1; \
	  LD_PRELOAD=$$(cd $(VENV) && pwd)/another_day.so; export LD_PRELOAD; date; \
	fi; \
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal $(ARGS)

fuzz: $(VENV)/.dev ## Try the API with thousands of generated requests, others each time (FUZZ_SEED=... for the same again)
	@export FUZZ_EXAMPLES=$${FUZZ_EXAMPLES:-300} FUZZ_SEED=$${FUZZ_SEED:-$$(date +%s)}; \
	echo "FUZZ_SEED=$$FUZZ_SEED FUZZ_EXAMPLES=$$FUZZ_EXAMPLES"; $(BIN)/python -m pytest tests/fuzz $(ARGS)

storm: $(VENV)/.dev ## Let everything die under traffic, N times (SEED=... for the same again, ACTS=... for longer storms)
	@$(BIN)/python -m tests.world.storms $(or $(N),10) $(if $(SEED),--seed $(SEED)) $(if $(ACTS),--acts $(ACTS)) $(ARGS)

model: $(VENV)/.dev ## Walk the API beside its models, other walks each time (MODEL_EXAMPLES=... for how many)
	@MODEL_EXAMPLES=$${MODEL_EXAMPLES:-200} $(BIN)/python -m pytest tests/model $(ARGS)

check: $(VENV)/.dev ## Lint, format, types, imports, sizes and places, known holes in dependencies; write their bill of materials
	@status=0; \
	$(BIN)/python -m ruff check || status=1; \
	$(BIN)/python -m ruff format --check || status=1; \
	$(BIN)/python -m mypy || status=1; \
	$(BIN)/lint-imports || status=1; \
	[ -z "$(CHECKED)" ] || $(BIN)/python -m pytest -q $(CHECKED) || status=1; \
	$(BIN)/python .ci/audit.py || status=1; \
	$(BIN)/python .ci/sbom.py || status=1; \
	exit $$status

bench: $(VENV)/.dev ## Measure, against the floor of this machine
	@$(BIN)/python -m bench $(ARGS)

screenshots: $(VENV)/.dev ## Look at the main pages in Chromium, and keep the pictures in docs/images
	@mkdir -p docs/images && LASTRO_PICTURES=docs/images $(BIN)/python -m pytest -q tests/browser/test_pages.py tests/browser/test_first_minute.py

docs: $(VENV)/.run ## Write the pages that are made of the code (errors, refusals, states) to build/docs
	@$(BIN)/python -m lastro.app.build_docs build/docs

demo: $(VENV)/.run ## Play the main flows on the running sandbox, step by step
	@$(BIN)/lastro demo $(ARGS)

verify: $(VENV)/.run ## Prove the laws of money over the whole database
	@$(BIN)/lastro verify $(ARGS)

clients: $(VENV)/.dev ## Write what of the clients in clients/ is made of the OpenAPI document
	@$(BIN)/python -m clients.generate

lock: ## Write the lock files anew from pyproject.toml (needs uv)
	@command -v uv >/dev/null || { echo "make lock needs uv: https://docs.astral.sh/uv/"; exit 1; }
	uv pip compile --universal --generate-hashes --no-header --no-annotate --extra sandbox --group build pyproject.toml -o requirements.lock
	uv pip compile --universal --generate-hashes --no-header --no-annotate --extra sandbox --extra mcp --group build --group dev pyproject.toml -o requirements-dev.lock
	uv pip compile --universal --generate-hashes --no-header --no-annotate --extra mcp -c requirements-dev.lock pyproject.toml -o requirements-mcp.lock

# A stamp is newer than what it was made from: a second make installs nothing. An environment that works is kept.
$(VENV)/.made:
	@if [ -z "$(PYTHON)" ] && $(BIN)/python -c 'import sys, pip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then \
	  touch $@; exit 0; \
	fi; \
	python=""; \
	for name in "$(PYTHON)" python3.13 python3.12 python3.11 python3 python; do \
	  if [ -n "$$name" ] && "$$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then python="$$name"; break; fi; \
	  if [ -n "$$name" ] && [ "$$name" = "$(PYTHON)" ]; then echo "PYTHON=$$name is no Python 3.11 or newer."; exit 1; fi; \
	done; \
	if [ -z "$$python" ]; then \
	  echo "lastro needs Python 3.11 or newer, and there is none on PATH: install it, or say PYTHON=/path/to/python."; exit 1; \
	fi; \
	if ! "$$python" -c 'import venv, ensurepip' >/dev/null 2>&1; then \
	  echo "$$python lacks the modules venv and ensurepip; on Debian and Ubuntu: apt-get install python3-venv."; exit 1; \
	fi; \
	echo "making $(VENV) with $$("$$python" --version)"; \
	"$$python" -m venv --clear $(VENV) || exit 1; \
	touch $@

$(VENV)/.run: $(VENV)/.made requirements.lock pyproject.toml
	@echo "installing what lastro needs: $$(grep -c == requirements.lock) packages, a minute or two the first time"
	@$(call INSTALLED,requirements.lock)
	@$(PIP) install --quiet --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.mcp: $(VENV)/.run requirements-mcp.lock
	@echo "installing what lastro mcp needs"
	@$(call INSTALLED,requirements-mcp.lock)
	@touch $@

$(VENV)/.dev: $(VENV)/.run requirements-dev.lock
	@echo "installing what its tests need: $$(grep -c == requirements-dev.lock) packages with those"
	@$(call INSTALLED,requirements-dev.lock)
	@touch $@
