# Needs git, make and python3 (3.11 or newer, with venv). `make train` and `make test` set everything up by themselves.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
WORKERS ?= 2

.PHONY: help setup train test test-slow test-all lint types docs clean

help:
	@echo "make train      train a General in about ten minutes and rank it against the scripted ones"
	@echo "make test       the quick tests;  make test-slow  the slow ones;  make test-all  both"
	@echo "make docs       write the generated pages anew: rules index, observations, actions, catalogue, picture"
	@echo "make lint       ruff;  make types  mypy;  make setup  only install;  make clean  remove what was installed"

setup: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "sackarmies-env needs Python 3.11 or newer; say make PYTHON=python3.11")'
	@echo "Installing into $(VENV); this is done once."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt pip setuptools
	@PYTHONWARNINGS=ignore $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --constraint constraints.txt --editable '.[all]'
	@touch $(STAMP)

train: setup
	$(BIN)/sackarmies train configs/train/quick.toml

test: setup
	$(BIN)/python -m pytest -m "not slow" -n $(WORKERS)

test-slow: setup
	$(BIN)/python -m pytest -m slow -n $(WORKERS)

test-all: setup
	$(BIN)/python -m pytest -n $(WORKERS)

lint: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: setup
	$(BIN)/mypy

docs: setup
	$(BIN)/python docs/build.py

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis build *.egg-info
