# `make run` on a fresh clone lands the samples and builds everything; `make test` proves it.
# Needs Python 3.11+ and Java 17 or 21; all else goes into .venv and Ivy's cache.

PYTHON ?= python3
export DBT_PROFILES_DIR ?= profiles
export DBT_SEND_ANONYMOUS_USAGE_STATS ?= false
BIN := .venv/bin
READY := .venv/.ready

# What a test of a cluster needs beside PostgreSQL; where it cannot be had, the tests say so.
STORE := github.com/fsouza/fake-gcs-server@v1.56.1
JARS := com.google.cloud.bigdataoss:gcs-connector:hadoop3-2.2.32:jar:shaded \
	org.postgresql:postgresql:42.7.7

.PHONY: help setup run test test-long test-cluster soak mutations lint bench lock

help: ## what there is to make
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

setup: $(READY) ## only the set-up: .venv/bin/dbt, .venv/bin/onelog

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed: set PYTHON=python3.11" \
		if sys.version_info < (3, 11) else 0)'
	@$(PYTHON) landing/session/java.py
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo "Installing the pinned packages into .venv (a few minutes the first time) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps \
		-r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps \
		--no-build-isolation --config-settings editable_mode=compat --editable .
	@echo "Preparing quick starts of Java (a minute) ..."
	@-$(BIN)/python -m landing.session.class_archive
	@touch $@

run: setup ## land samples/, build every model, run every data test
	@$(BIN)/onelog run-samples

test: setup lint ## the tests, in two processes with a Spark and a home each
	@$(BIN)/python -m pytest -m "not long" --numprocesses 2 --dist loadfile \
		--no-loadscope-reorder --durations 30

test-long: setup ## the tests of whole commands that take minutes each
	@$(BIN)/python -m pytest -m long

test-cluster: setup ## the same on a cluster: Spark's master and workers, PostgreSQL, an object store
	@-test -x $(BIN)/fake-gcs-server || GOBIN=$(CURDIR)/$(BIN) go install $(STORE)
	@-test -d .venv/cluster-jars || for jar in $(JARS); do mvn --quiet dependency:copy \
		-Dartifact=$$jar -DoutputDirectory=$(CURDIR)/.venv/cluster-jars; done
	@$(BIN)/python -m pytest --verbose tests/cluster

soak: setup ## drawn tests with new seeds for so long (MINUTES=30 SEED=1 ONLY="kills hostile" ROUNDS=1)
	@$(BIN)/python tests/python/soak.py --minutes $(or $(MINUTES),30) \
		$(if $(SEED),--seed $(SEED)) $(if $(ROUNDS),--rounds $(ROUNDS)) $(addprefix --only ,$(ONLY))

mutations: setup ## break the project, one text at a time: does a test catch it? (ONLY="part of a name")
	@$(BIN)/python tests/python/mutations.py $(if $(ONLY),"$(ONLY)")

lint: setup ## ruff, mypy and sqlfluff
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/sqlfluff lint models tests --processes 2
	@$(BIN)/sqlfluff lint models tests --processes 2 --config tests/lint/rendered.cfg

bench: setup ## side by side with hand-written Spark and DuckDB (SCALE=1 ONLY="flatten state")
	@$(BIN)/python -m benchmarks.run --scale $(or $(SCALE),1) $(addprefix --only ,$(ONLY))

lock: ## pin the newest allowed versions in requirements.lock
	@$(BIN)/python -m pip install --quiet uv
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --extra dev --extra build \
		--extra connect --generate-hashes --no-emit-index-url --no-header \
		--output-file requirements.lock pyproject.toml
