# make kits    builds every activity of the library into build/
# make test    runs all tests
# make test-browser  tries the gallery in Chromium, which must be installed
# make check   looks at layout, style, types and imports, and changes nothing
# make fix     corrects what can be corrected by itself
# make bench   measures how fast it is; make bench N=100 does so quickly
# make profile  says where the time of one kit goes
# make proofs  turns every page of build/ into a PNG in proofs/
# make clean   removes what was made, except the installation in .venv/
#
# Another Python: make PYTHON=python3.12 kits

PYTHON = python3
OUT = build
# Of make bench: activities in its large library, and a file for the same as JSON.
N = 1000
JSON =

BIN = .venv/bin
# What is installed is remembered by these files, and renewed when pyproject.toml changes.
INSTALLED = .venv/installed
INSTALLED_DEV = .venv/installed-dev
INSTALLED_BROWSER = .venv/installed-browser
INSTALLED_BENCH = .venv/installed-bench

.PHONY: kits test test-browser check fix bench profile proofs clean

kits: $(INSTALLED)
	@$(BIN)/kit-builder build --out $(OUT)

test: $(INSTALLED_DEV)
	@$(BIN)/python -m pytest -n auto --dist loadfile

test-browser: $(INSTALLED_BROWSER)
	@{ command -v chromium && command -v chromedriver; } >/dev/null || { \
	    echo "Chromium is missing. On Debian: apt install chromium chromium-driver" >&2; \
	    exit 1; }
	@$(BIN)/python -m pytest tests/browser

check: $(INSTALLED_DEV) $(INSTALLED_BROWSER)
	$(BIN)/ruff format --check --quiet
	$(BIN)/ruff check --quiet
	$(BIN)/mypy
	$(BIN)/lint-imports

fix: $(INSTALLED_DEV)
	$(BIN)/ruff check --quiet --fix --exit-zero
	$(BIN)/ruff format --quiet

bench: $(INSTALLED_BENCH)
	@$(BIN)/python -m tests.bench $(N) $(if $(JSON),--json $(JSON))

profile: $(INSTALLED)
	@$(BIN)/python -m tests.bench.profile

proofs: kits $(INSTALLED_DEV)
	@$(BIN)/python -m tests.proofs $(OUT) proofs

clean:
	rm -rf build proofs dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache

$(INSTALLED): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo "Kit Builder needs Python 3.11 or newer, and $(PYTHON) is not." >&2; \
	    echo "Install one (python.org), or name one: make PYTHON=python3.12 kits" >&2; \
	    exit 1; }
	@echo "Installing Kit Builder into .venv/ (once)"
	@$(PYTHON) -m venv .venv || { \
	    echo "Python could not make .venv/. On Debian and Ubuntu: apt install python3-venv" >&2; \
	    exit 1; }
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(INSTALLED_DEV): $(INSTALLED)
	@echo "Installing the tools of its tests into .venv/ (once)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

$(INSTALLED_BROWSER): $(INSTALLED_DEV)
	@echo "Installing what drives a browser into .venv/ (once)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[browser]'
	@touch $@

$(INSTALLED_BENCH): $(INSTALLED_DEV)
	@echo "Installing what it is measured against into .venv/ (once)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench]' && \
	    touch $@ || echo "It could not be installed, and is left out." >&2
