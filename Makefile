# Needs git, make and python3 (3.11 or newer, with venv). `make train` and `make test` install everything first.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
WORKERS ?= 2
# Compiling every module takes as long as the rest of an installation: left to first imports, where these may write.
COMPILE := $(if $(PYTHONDONTWRITEBYTECODE),--compile,--no-compile)
PYTEST := $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

PEERS := .venv-peers
PEERS_STAMP := $(PEERS)/.installed
PEERS_PYTHON ?= $(shell command -v python3.11 || command -v $(PYTHON))

# Other versions of Python to test with, if they are installed.
VERSIONS ?= 3.12 3.13 3.14
python_of = for python in python$(1) "$$(pyenv prefix $(1) 2>/dev/null)/bin/python"; do \
	"$$python" -c "import sys; sys.exit(not sys.version.startswith('$(1).'))" 2>/dev/null && echo "$$python" && exit 0; done; exit 1

.PHONY: help setup train test test-slow test-all versions version-environments lint types supply soak mutation docs bench cuda bench-curves bench-profile browser site notebooks dist libraries clean

help:
	@echo "make train      train a General in about ten minutes, then rank it in a tournament"
	@echo "make test       the quick tests;  make test-slow  the slow ones;  make test-all  both"
	@echo "make versions   test games, batches and environments on Python $(VERSIONS), where installed"
	@echo "make docs       regenerate the generated pages and pictures"
	@echo "make site       build the documentation site in build/site, without a network"
	@echo "make notebooks  run the pages of docs/notebooks as notebooks, in build/notebooks"
	@echo "make dist       build and check wheel and source distribution, in dist"
	@echo "make mutation   check that tests fail when faults are put into the rules; some minutes"
	@echo "make bench      compare our speed with other libraries, under ten minutes;  make bench-curves  speed by batch size and the like;"
	@echo "                make bench-profile  profile a decision"
	@echo "make libraries LIB=rllib   run RLlib's example and test in a separate virtual environment; also agilerl, pufferlib"
	@echo "make cuda       compile the rules for CUDA, in a separate virtual environment; no device is needed"
	@echo "make soak       check a million random games (ARGS='--game territories' for the other game);  make supply  check versions and licenses of what is installed"
	@echo "make browser    install Chromium for the tests that need a browser, where it is missing (Debian, as root)"
	@echo "make lint       ruff;  make types  mypy;  make setup  only install;  make clean  remove what was installed"

setup: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "sackarmies-env needs Python 3.11 or newer; run make PYTHON=python3.11")'
	@echo "Installing into $(VENV); this is done once."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt pip setuptools
	@PYTHONWARNINGS=ignore $(BIN)/python -m pip install --quiet --disable-pip-version-check $(COMPILE) --no-build-isolation --constraint constraints.txt --editable '.[all]'
	@touch $(STAMP)

train: setup
	$(BIN)/sackarmies train configs/train/one_army.toml --processes 2 $(ARGS)

test: setup
	$(PYTEST) -m "not slow" $(ARGS)

test-slow: setup
	$(PYTEST) -m slow $(ARGS)

test-all: setup
	$(PYTEST) $(ARGS)

versions: $(VERSIONS:%=version-%)

# One after the other: each installation writes the same folder of metadata.
version-environments:
	@for version in $(VERSIONS); do \
		python=$$($(call python_of,$$version)) || continue; \
		test .venv-$$version/.installed -nt pyproject.toml && test .venv-$$version/.installed -nt constraints.txt && continue; \
		echo "Installing into .venv-$$version; this is done once."; \
		"$$python" -m venv .venv-$$version && \
		.venv-$$version/bin/python -m pip install --quiet --disable-pip-version-check $(COMPILE) --constraint constraints.txt --editable '.[test]' && \
		touch .venv-$$version/.installed || exit 1; \
	done

# Stored digests show that all versions play the same games. Only tests that compile little are run.
version-%: version-environments
	@if ! ($(call python_of,$*)) >/dev/null; then echo "Python $* is not on this machine: nothing was tried with it."; else \
		.venv-$*/bin/python -m tests.fingerprint --brief && .venv-$*/bin/python -m pytest @tests/versions.txt; \
	fi

lint: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: setup
	$(BIN)/mypy

# Installed packages must be compatible, with licenses that pyproject.toml allows.
supply: setup
	$(BIN)/python -m pip check
	$(BIN)/pip-licenses

soak: setup
	$(BIN)/python -m tests.soak $(ARGS)

mutation: setup
	$(BIN)/python -m tests.mutation.run --sample 100 --seed 1 --workers $(WORKERS) $(ARGS)
	$(BIN)/python -m tests.mutation.run --game territories --sample 120 --seed 1 --share 0.2 --workers $(WORKERS)
	$(BIN)/python -m tests.mutation.rulings --workers $(WORKERS)

docs: setup
	$(BIN)/python docs/build.py
	$(BIN)/pip-licenses --output-file docs/licences.md
	$(BIN)/python -m benchmarks.page

# Warnings are errors. Doctrees go elsewhere, so that build/site contains only the site.
site: setup
	@rm -rf build/site build/site-doctrees
	$(BIN)/python -m sphinx -W --keep-going -q -b html -d build/site-doctrees docs build/site
	$(BIN)/python docs/check_site.py build/site

# Jupyter notebooks of the pages in docs/notebooks, with outputs.
notebooks: setup
	@mkdir -p build/notebooks
	for page in docs/notebooks/*.md; do \
		$(BIN)/python -m jupytext --to ipynb --execute --output build/notebooks/$$(basename $$page .md).ipynb $$page || exit 1; \
	done

# Wheel and source distribution in dist/, tested as a user installs them: docs/releasing.md.
dist: setup
	@rm -rf dist
	$(BIN)/python -m build --no-isolation
	$(BIN)/python -m twine check --strict dist/*
	$(BIN)/python -m pytest -q tests/test_dist.py

# A separate virtual environment for the other libraries: exact versions, for Python 3.11.
$(PEERS_STAMP): benchmarks/peers.txt
	@$(PEERS_PYTHON) -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11) and "benchmarks/peers.txt is for Python 3.11; run make bench PEERS_PYTHON=python3.11")'
	@echo "Installing the other libraries into $(PEERS); this is done once."
	@$(PEERS_PYTHON) -m venv $(PEERS)
	@$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --requirement benchmarks/peers.txt
	@touch $(PEERS_STAMP)

# A separate virtual environment for a library whose pins differ from ours: exact versions, for Python 3.11.
libraries:
	@test -f "libraries/$(LIB).txt" || { echo "run make libraries LIB=rllib, LIB=agilerl or LIB=pufferlib" >&2; exit 1; }
	@if ! test .venv-$(LIB)/.installed -nt libraries/$(LIB).txt; then \
		echo "Installing $(LIB) into .venv-$(LIB); this is done once." && $(PEERS_PYTHON) -m venv .venv-$(LIB) && \
		grep -v '^$(LIB)=' libraries/$(LIB).txt >.venv-$(LIB)/needed.txt && \
		.venv-$(LIB)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --requirement .venv-$(LIB)/needed.txt && \
		NO_OCEAN=1 NO_TRAIN=1 PYTHONPATH="$(CURDIR)/libraries/pufferlib_build" .venv-$(LIB)/bin/python -m pip install --quiet \
			--disable-pip-version-check --no-deps --no-build-isolation --requirement libraries/$(LIB).txt --editable . && \
		touch .venv-$(LIB)/.installed; \
	fi
	OMP_NUM_THREADS=1 .venv-$(LIB)/bin/python examples/$(LIB)_ppo.py
	OMP_NUM_THREADS=1 .venv-$(LIB)/bin/python -m pytest -q tests/examples/test_other_libraries.py -k $(LIB)

# numba-cuda replaces the module numba.cuda, so it needs a separate virtual environment.
cuda:
	@if ! test .venv-cuda/.installed -nt libraries/cuda.txt; then \
		echo "Installing numba-cuda into .venv-cuda; this is done once." && $(PYTHON) -m venv .venv-cuda && \
		.venv-cuda/bin/python -m pip install --quiet --disable-pip-version-check $(COMPILE) --constraint constraints.txt --editable '.[test]' && \
		.venv-cuda/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --requirement libraries/cuda.txt && \
		touch .venv-cuda/.installed; \
	fi
	.venv-cuda/bin/python -m pytest -q tests/test_cuda.py
	.venv-cuda/bin/python -m benchmarks.cuda

bench: setup $(PEERS_STAMP)
	$(BIN)/python -m benchmarks.bench $(ARGS)

bench-curves: setup
	$(BIN)/python -m benchmarks.curves $(ARGS)

bench-profile: setup
	$(BIN)/python -m benchmarks.profile --record $(ARGS)

# Tests marked `browser` use the system's Chromium, not playwright's own download.
browser:
	@if command -v chromium || command -v chromium-browser || command -v google-chrome || test -x "$$SACKARMIES_CHROMIUM"; then :; \
	elif command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
		apt-get update --quiet && apt-get install --yes --no-install-recommends chromium; \
	else echo "Chromium is missing: install it, or set SACKARMIES_CHROMIUM to its path; as root on Debian, make browser installs it." >&2; exit 1; fi

clean:
	rm -rf $(VENV) .venv-* .mypy_cache .pytest_cache .ruff_cache .hypothesis build *.egg-info
