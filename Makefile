# The one list of developer commands. Everything sets itself up: all that must be there already is
# Rust, Python 3.11 or newer, make and a C compiler. `make help` lists the commands.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
SHELL := /bin/sh

VENV := .venv
BIN := $(VENV)/bin
# PyO3's build script asks this interpreter what it needs to know.
export PYO3_PYTHON := $(CURDIR)/$(BIN)/python
# Tests and studies start hundreds of Python processes. Without bytecode each compiles the package anew, a third of a second.
unexport PYTHONDONTWRITEBYTECODE
# The tests in Rust are built whole: that takes two fifths less if nothing is kept for the next build and no crate is cut in parts.
export CARGO_INCREMENTAL := 0
export CARGO_PROFILE_DEV_CODEGEN_UNITS := 1

# A stamp is as new as the last success of its step.
ENV := $(VENV)/.stamp-environment
BUILD := $(VENV)/.stamp-build
DOCS := $(VENV)/.stamp-docs

RUST := Cargo.toml Cargo.lock $(shell find crates -name adapters -prune -o -name '*.rs' -print -o -name Cargo.toml -print)
# The crates that are tested from Rust. The binding has no behaviour; its tests are in Python, and a
# Rust test of it would have to link libpython. Benches alone need criterion.
CRATES := --workspace --exclude binding --exclude benches

# Writes the type stub of mesonet._core below the folder that follows.
STUBS := $(BIN)/maturin generate-stubs --quiet --profile release --out

# Prints the requirements of pyproject.toml that its arguments name.
REQUIREMENTS = $(BIN)/python -c 'import sys, tomllib; \
  project = tomllib.load(open("pyproject.toml", "rb"))["project"]; \
  tables = {"run": project["dependencies"], **project["optional-dependencies"]}; \
  print(*[r for name in sys.argv[1:] for r in tables[name]], sep="\n")'

# Versions that are known to work together, for every Python and platform.
CONSTRAINTS := requirements/constraints.txt
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --constraint $(CONSTRAINTS)
# All but the packages' own tests is compiled at once. Tests that fill a disk, or take warnings for errors, must not do it.
COMPILE := $(BIN)/python -m compileall -qq -j 0 -x /tests/ $(VENV)/lib || true

.PHONY: help setup adapters demo test test-rust test-python studies fuzz mutants lint lint-rust lint-python audit bench golden docs notebooks stubs lock pgo wheel sdist try clean

help: ## Show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' $(MAKEFILE_LIST) | while IFS='|' read -r name what; do printf '  make %-8s %s\n' "$$name" "$$what"; done

setup: $(BUILD) ## Virtual environment, build and install; does nothing when up to date
	@case "$(MAKECMDGOALS)" in setup) echo "ready; next: $(BIN)/mesonet compare cubic bbr3 --out compare.html";; esac

$(ENV): pyproject.toml $(CONSTRAINTS)
	@command -v cargo >/dev/null || { echo "error: cargo not found; install Rust from https://rustup.rs" >&2; exit 1; }
	@if [ ! -x $(BIN)/python ]; then \
	  for python in $(PYTHON) python3 python3.14 python3.13 python3.12 python3.11 python; do \
	    if $$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then interpreter=$$python; break; fi; \
	  done; \
	  [ -n "$$interpreter" ] || { echo "error: Python 3.11 or newer not found; install it or name it: make PYTHON=/path/to/python $(MAKECMDGOALS)" >&2; exit 1; }; \
	  echo "creating $(VENV) with $$($$interpreter --version)"; \
	  $$interpreter -m venv $(VENV) || { rm -rf $(VENV); echo "error: $$interpreter cannot make a virtual environment; on Debian and Ubuntu install python3-venv" >&2; exit 1; }; \
	fi
	@echo "installing Python packages into $(VENV), then building the engine: three to five minutes the first time"
	@$(REQUIREMENTS) run dev > $(VENV)/requirements.txt
	@$(INSTALL) -r $(VENV)/requirements.txt
	@$(COMPILE)
	@touch $@

# Maturin has more to say than anybody wants to read, unless it fails.
$(BUILD): $(ENV) $(RUST)
	@echo "building the engine: two to four minutes on two cores"
	@said=$$(VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/maturin develop --release --quiet 2>&1) || { echo "$$said" >&2; exit 1; }
	@touch $@

# A workspace of its own, which needs the registry once; the engine and its tests build without it.
adapters: setup ## Code of others behind mesonet's ABI: s2n:cubic and s2n:bbr of s2n-quic-core; needs the network and Rust 1.95
	cargo build --quiet --locked --release --manifest-path crates/adapters/s2n-quic/Cargo.toml --target-dir target/adapters
	@mkdir -p python/mesonet/data/adapters
	@cp target/adapters/release/*s2n.$(if $(filter Darwin,$(shell uname -s)),dylib,so) python/mesonet/data/adapters
	@echo "ready; next: $(BIN)/mesonet compare cubic s2n:cubic --profile quic"

demo: setup ## Run the study `pocket` and say where its report is; resumes if it was stopped
	$(BIN)/mesonet study pocket --out results/pocket

test: test-rust test-python ## All tests; each half prints its counts

# The same inputs each time, as in Python: whether a change passes is no matter of luck. A plain `cargo test` draws others.
test-rust:
	PROPTEST_RNG_SEED=1 cargo test --quiet --locked $(CRATES) --no-fail-fast

# `.ci/run` sets it to nothing: the studies in the same run, whose workers have imported the library.
SKIP ?= --ignore tests/studies

test-python: setup
	$(BIN)/python -m pytest --quiet -n auto --dist loadfile --no-loadscope-reorder $(SKIP) $(PYTEST)

# sample: a twenty-fourth of the runs; all: all of them, ten minutes; keep: all, and they are the kept ones from now on.
RUNS ?= sample

studies: setup ## Every study at pocket size: no verdict may be worse, no run may move; RUNS=all simulates all of them
	RUNS=$(RUNS) $(BIN)/python -m pytest --quiet -n 2 --dist worksteal --durations 0 --durations-min 1 tests/studies $(PYTEST)

lint: lint-rust lint-python ## Formatting, lints, types, layers, stubs

lint-rust: $(ENV)
	cargo fmt --all --check
	cargo clippy --quiet --locked --workspace --all-targets -- --deny warnings

lint-python: setup
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	MYPYPATH=python $(BIN)/python -m mypy.stubtest mesonet._core --allowlist tools/stubtest-allowlist.txt --mypy-config-file tools/stubtest.ini
	$(STUBS) target/stubs
	diff -u python/mesonet/_core.pyi target/stubs/mesonet/_core.pyi || { echo "error: run make stubs" >&2; exit 1; }

stubs: setup ## Rewrite what editors and mypy know of the engine
	$(STUBS) python

bench: $(ENV) ## Parts, whole runs and counts of instructions as JSON in bench.json; fails where counts moved
	cargo bench --quiet --locked --package benches >&2
	cargo build --quiet --locked --release -p sim --example mesonet-bench
	$(BIN)/python tools/performance/bench.py bench.json

fuzz: setup ## Inputs that nobody would write, on all that reads them; ten minutes; FUZZ="--minutes 60 --seed 2" changes it
	nice $(BIN)/python tools/fuzz.py $(FUZZ)

# Installed below target/, so that nothing outside the repository changes.
MUTATE := target/tools/bin/cargo-mutants

$(MUTATE):
	cargo install --quiet --locked --root target/tools cargo-mutants

mutants: $(MUTATE) $(ENV) ## Which changes of controllers and TCP no test notices; an hour; MUTANTS="--package sim" takes a part
	PATH="$(CURDIR)/target/tools/bin:$$PATH" nice $(BIN)/python tools/mutants.py $(MUTANTS)

golden: setup ## Rewrite the stored results; review the diff and record it under "Changes results"
	INSTA_UPDATE=always cargo test --quiet --locked $(CRATES)
	$(BIN)/python tools/performance/bench_worlds.py
	$(BIN)/python tools/manual/reference_pages.py
	$(BIN)/python tools/manual/laboratory_pages.py
	$(BIN)/python tools/manual/man_page.py
	$(BIN)/python tools/manual/evaluation_schema.py
	git --no-pager diff --stat

# Runs that show which way branches go; a digest of their results goes to standard output.
TRAINING := tools/performance/pgo_training.py
PROFILE := target/pgo/engine.profdata
PROFILED := -Cprofile-use=$(CURDIR)/$(PROFILE)
SYSROOT = $$(rustc --print sysroot)
PROFDATA = $$(ls "$(SYSROOT)"/lib/rustlib/*/bin/llvm-profdata 2>/dev/null || echo llvm-profdata)
# The names of functions have to be the same, so what is trained and what is built name their target alike.
HOST = $$(rustc -vV | sed -n 's/^host: //p')

$(PROFILE): $(ENV) $(RUST) $(TRAINING)
	@command -v "$(PROFDATA)" >/dev/null || { echo "error: llvm-profdata not found; rustup component add llvm-tools" >&2; exit 1; }
	@echo "building an engine that counts its branches, and training it: three to five minutes on two cores"
	@rm -rf target/pgo
	@RUSTFLAGS="$$RUSTFLAGS -Cprofile-generate" $(BIN)/maturin build --release --locked --quiet --target "$(HOST)" --target-dir target/pgo/build --out target/pgo
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --target target/pgo/site target/pgo/*.whl
	@LLVM_PROFILE_FILE="$(CURDIR)/target/pgo/%m_%p.profraw" PYTHONPATH=target/pgo/site $(BIN)/python $(TRAINING) > /dev/null
	@"$(PROFDATA)" merge --output $@ target/pgo/*.profraw

pgo: setup $(PROFILE) ## The engine built again for the branches that runs take; asks for rustup component add llvm-tools
	@before=$$($(BIN)/python $(TRAINING)) || exit 1; \
	said=$$(RUSTFLAGS="$$RUSTFLAGS $(PROFILED)" VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/maturin develop --release --quiet --target "$(HOST)" 2>&1) || { echo "$$said" >&2; exit 1; }; \
	touch $(BUILD); \
	[ "$$($(BIN)/python $(TRAINING))" = "$$before" ] || { echo "error: results are not those of the engine as it was" >&2; exit 1; }

# Zig links against the oldest glibc that Rust supports, whatever this machine has, and for either
# processor. It is a package of the environment, whose Python has to be named to find it.
LINUX_WHEELS ?= x86_64 aarch64
# 1 builds as `make pgo` does, for this machine's processor.
PGO ?=
ZIG := ziglang==0.17.1
DIST ?= dist

wheel: sdist $(if $(PGO),$(PROFILE)) ## Wheels that install without Rust, and an archive of the sources, in dist/; LINUX_WHEELS="x86_64" takes some
ifeq ($(shell uname -s),Linux)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $(ZIG)
	@for processor in $(LINUX_WHEELS); do \
	  target=$$processor-unknown-linux-gnu; \
	  if [ ! -d "$(SYSROOT)/lib/rustlib/$$target/lib" ]; then \
	    echo "no wheel for $$processor: its Rust target is missing; rustup target add $$target"; continue; \
	  fi; \
	  flags=; if [ -n "$(PGO)" ] && [ $$processor = $$(uname -m) ]; then flags="RUSTFLAGS=$$RUSTFLAGS $(PROFILED)"; fi; \
	  env $${flags:+"$$flags"} CARGO_ZIGBUILD_PYTHON_PATH="$(PYO3_PYTHON)" \
	    $(BIN)/maturin build --release --locked --quiet --strip --zig --target $$target --compatibility manylinux2014 --out $(DIST) || exit 1; \
	done
else
	$(if $(PGO),RUSTFLAGS="$$RUSTFLAGS $(PROFILED)") $(BIN)/maturin build --release --locked --quiet --strip $(if $(PGO),--target "$(HOST)") --out $(DIST)
endif

sdist: $(ENV)
	$(BIN)/maturin sdist --out $(DIST)

# Nothing is on the path but what the wheel brings: neither Rust nor a compiler.
try: setup ## This machine's wheel in dist/ in an empty environment: the results of the engine here, and a comparison's page in target/try
	rm -rf target/try
	$(BIN)/python -m venv target/try
	target/try/bin/python -m pip install --quiet --disable-pip-version-check --constraint $(CONSTRAINTS) $(DIST)/mesonet-*_$$(uname -m).whl
	@[ "$$(env -i target/try/bin/python $(TRAINING))" = "$$($(BIN)/python $(TRAINING))" ] || { echo "error: results are not those of the engine in $(VENV)" >&2; exit 1; }
	env -i HOME="$(CURDIR)/target/try" PATH="$(CURDIR)/target/try/bin" mesonet compare cubic bbr3 --out target/try/page.html

# Needs the network, as the databases of advisories do.
audit: $(ENV) ## Known vulnerabilities, licences and sources of all dependencies
	@command -v cargo-deny >/dev/null || { echo "error: cargo-deny not found; cargo install --locked cargo-deny" >&2; exit 1; }
	cargo deny --all-features check
	$(BIN)/python -m pip install --quiet --disable-pip-version-check pip-audit
	$(BIN)/pip-audit --skip-editable --progress-spinner off

lock: $(ENV) ## Choose the versions of Python packages anew, within the ranges of pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --all-extras --upgrade --no-annotate --no-header \
	  --output-file $(CONSTRAINTS) pyproject.toml

$(DOCS): $(ENV)
	$(REQUIREMENTS) docs > $(VENV)/requirements-docs.txt
	$(INSTALL) -r $(VENV)/requirements-docs.txt
	@touch $@

docs: setup $(DOCS) ## The manual, as HTML in docs/_build
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going -b html docs docs/_build
	@echo "manual: $(CURDIR)/docs/_build/index.html"

notebooks: setup ## The notebooks of the manual as .ipynb files, in dist/notebooks
	$(BIN)/python tools/manual/notebooks.py $(DIST)/notebooks

clean: ## Remove what was built and cached, and the virtual environment; keeps results/
	rm -rf $(VENV) target docs/_build dist .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
	rm -f python/mesonet/_core*.so docs/studies/*/results-*.md docs/images/gallery/*.svg
	rm -rf python/mesonet/data/rust
	find python tests -name __pycache__ -type d -prune -exec rm -rf {} +
