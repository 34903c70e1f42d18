# Each command sets up what it needs in .venv first; `make help` lists them.

PYTHON ?= python3
PYTEST_ARGS ?= -n 2 --dist loadfile

BIN := .venv/bin
PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check -c constraints.txt

# A kernel on disk does not notice an edit to a helper in another file: one cache per state of the sources.
CACHE := .numba_cache/$(shell find src/riemap -name '*.py' | LC_ALL=C sort | xargs cat | cksum | tr ' ' '-')
demo test bench: export NUMBA_CACHE_DIR := $(CURDIR)/$(CACHE)

ifndef RIEMAP_DATA
ifneq ($(wildcard ../shared/data/.),)
export RIEMAP_DATA := $(abspath ../shared/data)
endif
endif

.PHONY: help demo test check docs bench clean

help:
	@echo "make demo    install riemap and embed a graph in five spaces of two dimensions"
	@echo "make test    run the tests and doctests; PYTEST_ARGS='-k stein' selects"
	@echo "make check   format, lint, types, layers, docs, and the wheel in a fresh environment"
	@echo "make docs    build the documentation into site/"
	@echo "make bench   time the kernels against geoopt (the other benchmarks: benchmarks/README.md)"
	@echo "make clean   remove everything that make creates"
	@echo "PYTHON=...   the interpreter for .venv, 3.11 or newer (now: $(PYTHON))"

demo: .venv/core | $(CACHE)
	$(BIN)/riemap embed karate -s E2 -s H2 -s S2 -s "Gr(1,3)" -s "E1 x H1" --epochs 800 --out demo --resume --report
	@echo
	@echo "Look at one of them in a browser: demo/H2/report.html"
	@echo "Next: $(BIN)/riemap embed les-miserables --space H3 --out les-miserables-h3 --report"

test: .venv/dev | $(CACHE)
	$(BIN)/python -m pytest $(PYTEST_ARGS)

check: .venv/dev
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(MAKE) --no-print-directory docs
	$(BIN)/python tools/check_wheel.py

docs: .venv/dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "docs: site/index.html"

bench: .venv/dev | $(CACHE)
	$(BIN)/python benchmarks/kernels.py

clean:
	rm -rf .venv .numba_cache .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache demo dist site
	find src tests benchmarks examples tools -name __pycache__ -prune -exec rm -rf {} +

# pip is the last thing that venv installs, so it stands for a complete environment.
$(BIN)/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "riemap needs Python 3.11 or newer, but '$(PYTHON)' is: $$($(PYTHON) -V 2>&1)." >&2; \
	  echo "Name another one, for example: make demo PYTHON=python3.12" >&2; exit 1; }
	@echo "creating .venv"
	@$(PYTHON) -m venv .venv

.venv/core: pyproject.toml constraints.txt | $(BIN)/pip
	@echo "installing riemap"
	@$(PIP) -e .
	@touch $@

.venv/dev: pyproject.toml constraints.txt | $(BIN)/pip
	@echo "installing riemap[dev]"
	@$(PIP) -e '.[dev]'
	@touch .venv/core $@

# New sources, new cache: a good moment to drop those not renewed for a week.
$(CACHE):
	@mkdir -p $@
	@find .numba_cache -mindepth 1 -maxdepth 1 -mtime +7 -exec rm -rf {} +
