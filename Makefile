# Each target first installs what it needs into .venv. `make help` lists the targets.

PYTHON ?= python3
PYTEST_ARGS ?= -n 2 --dist $(PYTEST_DIST)
PYTEST_DIST := loadfile

BIN := .venv/bin
PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check -c constraints.txt

# Numba's cache does not notice an edit to a function that a kernel calls from another file, so the name of the
# cache folder contains a checksum of all sources.
CACHE := .numba_cache/$(shell find src/riemap -name '*.py' | LC_ALL=C sort | xargs cat | cksum | tr ' ' '-')
demo test test-long fuzz bench: export NUMBA_CACHE_DIR := $(CURDIR)/$(CACHE)

ifndef RIEMAP_DATA
ifneq ($(wildcard ../shared/data/.),)
export RIEMAP_DATA := $(abspath ../shared/data)
endif
endif

.PHONY: help demo test test-long fuzz check docs bench clean

help:
	@echo "make demo       install riemap and embed a graph in five spaces of three dimensions"
	@echo "make test       run the tests and doctests; PYTEST_ARGS='-k stein' selects some of them"
	@echo "make test-long  run the property-based tests with 1,000 examples each, which takes long"
	@echo "make fuzz       attack riemap with random cases for 10 minutes; MINUTES=60 and SEED=7 choose other ones"
	@echo "make check      check format, lint, types, layers and docs, and install the wheel in a new environment"
	@echo "make docs       build the documentation into site/"
	@echo "make bench      time the kernels beside geoopt; benchmarks/README.md lists the other benchmarks"
	@echo "make clean      remove everything that make creates"
	@echo "PYTHON=...      choose the interpreter for .venv, 3.11 or newer (now: $(PYTHON))"

demo: .venv/core | $(CACHE)
	$(BIN)/riemap embed karate -s E3 -s H3 -s S3 -s "H2 x E1" -s "S2 x E1" --epochs 800 --out demo --resume --report
	@echo
	@echo "Open one of the reports in a browser: demo/H3/report.html"
	@echo "Next: $(BIN)/riemap embed les-miserables --space H3 --out les-miserables-h3 --report"

test: .venv/dev | $(CACHE)
	$(BIN)/python -m pytest $(PYTEST_ARGS)

test-long: PYTEST_DIST := worksteal
test-long: export HYPOTHESIS_PROFILE := nightly
test-long: .venv/dev | $(CACHE)
	$(BIN)/python -m pytest -m hypothesis tests $(PYTEST_ARGS)

# SEED=7 draws the same cases again, ATTACK=readers does one attack, REPEAT=FILE does the case of one failure, and
# WRITE=docs/reliability.md puts the table into that page.
fuzz: export PYTHONPATH := tests
fuzz: .venv/dev | $(CACHE)
	$(BIN)/python -m fuzz --minutes $(or $(MINUTES),10) $(if $(SEED),--seed $(SEED)) \
	  $(if $(ATTACK),--attack $(ATTACK)) $(if $(REPEAT),--repeat $(REPEAT)) $(if $(WRITE),--write $(WRITE))

check: .venv/dev
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(MAKE) --no-print-directory docs
	$(BIN)/python tools/check_wheel.py

docs: .venv/docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "docs: site/index.html"

bench: .venv/dev | $(CACHE)
	$(BIN)/python benchmarks/kernels.py

clean:
	rm -rf .venv .numba_cache .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache demo dist site \
	  fuzz-failures
	find src tests benchmarks examples tools -name __pycache__ -prune -exec rm -rf {} +

# venv installs pip last, so a pip that exists means that the environment is complete.
$(BIN)/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "riemap needs Python 3.11 or newer, but '$(PYTHON)' is: $$($(PYTHON) -V 2>&1)." >&2; \
	  echo "Name another one, for example: make demo PYTHON=python3.12" >&2; exit 1; }
	@echo "creating .venv"
	@$(PYTHON) -m venv .venv

# One file marks each set of packages that is installed. The set dev contains the other two.
.venv/core: pyproject.toml constraints.txt | $(BIN)/pip
	@echo "installing riemap"
	@$(PIP) -e .
	@touch $@

# mkdocstrings reads the sources as text, so the documentation needs neither riemap nor what riemap imports.
.venv/docs: pyproject.toml constraints.txt | $(BIN)/pip
	@echo "installing the packages of the extra docs"
	@$(PIP) $$($(BIN)/python -c 'import tomllib; \
	  print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["docs"])')
	@touch $@

.venv/dev: pyproject.toml constraints.txt | $(BIN)/pip
	@echo "installing riemap[dev]"
	@$(PIP) -e '.[dev]'
	@touch .venv/core .venv/docs $@

# When the sources have changed, make a new cache and delete those that are older than a week.
$(CACHE):
	@mkdir -p $@
	@find .numba_cache -mindepth 1 -maxdepth 1 -mtime +7 -exec rm -rf {} +
