# Scry's tasks; `make` lists them. Needs GNU make, a POSIX shell, git and Python 3.10 or newer with venv.
# Everything that is installed goes to .venv; nothing outside this folder is changed.

PYTHON ?= python3
WORKERS ?= 2
VENV := .venv
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
PY := $(BIN)/python
PIP := $(PY) -m pip --disable-pip-version-check -qq
UV := $(shell command -v uv)
CLIENT := editor/vscode/node_modules/.package-lock.json
VSIX := editor/vscode/dist/scry.vsix
SOURCES := server/scry protocol/scry_protocol
VSIX_SOURCES := $(shell find editor/vscode/src server/scry protocol/scry_protocol -type f ! -name '*.pyc')
VSCODE := editor/vscode/.test
LUA_TOOLS := editor/neovim/tools/node_modules/.package-lock.json
RELEASE_TOOLS := .cache/release
NEOVIM := .cache/neovim
NEOVIMS := $(NEOVIM)/0.12/.made $(NEOVIM)/0.10/.made
QUESTION := where are malformed frames handled

# Without compiled files every start of `scry` is slower than it has to be.
unexport PYTHONDONTWRITEBYTECODE
export PYTHONUTF8 := 1

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# Tests that drive real editors: last, for what else is wrong shows sooner, and with more patience for a busy screen.
IN_EDITORS := tests/e2e/vscode tests/neovim

.PHONY: help setup demo vsix vsix-platforms try-vscode try-neovim check fast gates style types systems layers generated client test trust team editors bench packages release release-check format acceptance faces protocol images tutorial docs model clean

help: ## lists the tasks
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

# ---------------------------------------------------------------- using Scry

setup: $(VENV)/.compiled ## installs Scry into .venv
	@echo "Scry is in $(VENV); run it as $(BIN)/scry"

demo: $(or $(wildcard $(VENV)/.setup),$(VENV)/.base) ## installs Scry, indexes this repository and answers a question about it
	$(BIN)/scry index
	$(BIN)/scry find "$(QUESTION)" --limit 5 --explain
	@printf '%s\n' "" \
	  "Each line says which oracle found it, at which rank, and what moved it." \
	  "Now ask your own:        $(BIN)/scry \"where is the retry limit set\"" \
	  "In another repository:   cd there && $(CURDIR)/$(BIN)/scry \"…\"" \
	  "For programs:            $(BIN)/scry find \"…\" --json" \
	  "In an editor:            README.md, section Editors"
	@$(MAKE) --no-print-directory $(VENV)/.compiled

try-neovim: $(VENV)/.setup $(NEOVIM)/0.12/.made ## opens this repository in a Neovim with Scry and telescope
	$(BIN)/scry index
	editor/neovim/tools/try.sh $(NEOVIM)/0.12

vsix: $(VSIX) ## builds the VS Code extension, sidecar included
	@ls -l $(VSIX)

vsix-platforms: $(VSCODE)/.ready ## builds the extension for each platform, with all wheels, and tries it; TARGETS=linux-x64
	$(PIP) install --group packages
	editor/vscode/scripts/package.sh $(PY) $(or $(TARGETS),linux-x64 linux-arm64 darwin-arm64 win32-x64)
	PLATFORM_PACKAGES=1 $(BIN)/pytest -q tests/e2e/vscode/test_packages.py
	@ls -l editor/vscode/dist/*.vsix

try-vscode: $(VSIX) $(VSCODE)/.code-server ## VS Code in the browser with Scry, on this repository
	@[ -x $(VSCODE)/code-server/run ] || { echo "make: code-server could not be installed" >&2; exit 1; }
	@editor/vscode/scripts/try.sh .

# ---------------------------------------------------------------- changing Scry

check: $(VENV)/.test ## static gates and fast tests; under two minutes
	@$(MAKE) --no-print-directory -j 2 gates fast # pyright takes one core for half of the time

fast: $(VENV)/.test
	$(BIN)/pytest -q -n $(WORKERS) --max-worker-restart 0 -m "not slow and not transformers and not bench"

gates: style types systems layers generated client

style: $(VENV)/.test
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: $(VENV)/.test
	$(BIN)/pyright

# Modules whose names differ between systems; a file that imports none of them is the same everywhere.
OF_SYSTEMS := asyncio|ctypes|fcntl|mmap|msvcrt|multiprocessing|os|pwd|resource|select|selectors|signal|socket|subprocess
systems: $(VENV)/.test ## checks types as on Windows and macOS, of the files that use the system
	@for system in Windows Darwin; do \
	  $(BIN)/pyright --pythonplatform $$system $$(grep -rlE --include='*.py' '^ *(from|import) ($(OF_SYSTEMS))\b' server/scry) || exit 1; \
	done

layers: $(VENV)/.test
	$(BIN)/lint-imports

generated: $(VENV)/.test
	$(PY) -m protocol.generate --check
	$(PY) -m tests.gates.acceptance --check
	$(PY) -m tests.gates.faces --check

client: $(CLIENT) # left out where there is no Node.js; with CI=true that is a failure
	@if [ -e $(CLIENT) ]; then cd editor/vscode && npm run --silent lint && npm run --silent check; \
	  else echo "make: editor/vscode is not checked, its tools are not installed" >&2; [ "$$CI" != true ]; fi

test: $(VENV)/.transformers $(CLIENT) $(LUA_TOOLS) $(NEOVIMS) $(VSCODE)/.ready gates ## every gate and every test; installs all that they need
	$(BIN)/pytest -n $(WORKERS) --max-worker-restart 0 --dist loadfile -m "not bench and not trust" \
	  $(IN_EDITORS:%=--ignore=%)
	$(BIN)/pytest -n $(WORKERS) --max-worker-restart 0 --dist loadfile -m "not bench and not trust" $(IN_EDITORS)

editors: $(VENV)/.test $(CLIENT) $(VSCODE)/.ready $(LUA_TOOLS) $(NEOVIMS) ## tests in a real VS Code and real Neovims; installs them
	$(BIN)/pytest -m "not bench and not trust" $(IN_EDITORS)

trust: $(VENV)/.test ## checks real files, mutations, hostile frames; REPOSITORIES=folder MUTATIONS=n FRAMES=n SEED=text SECONDS=n TREE=folder
	$(PY) -m tests.trust.run --workers $(WORKERS) $(if $(REPOSITORIES),--repositories $(REPOSITORIES)) \
	  $(if $(MUTATIONS),--mutations $(MUTATIONS)) $(if $(SEED),--seed $(SEED)) $(if $(SECONDS),--seconds $(SECONDS))
	TRUST_FRAMES=$(or $(FRAMES),100000) TRUST_FILES=100000 TRUST_COMMITS=50000 TRUST_SEED=$(SEED) SCRY_DRIFT_ROUNDS=40 \
	  SCRY_DRIFT_SEED=$(SEED) SCRY_STORM_ROUNDS=100 TRUST_KILLS=200 TRUST_TREE=$(TREE) TRUST_LOAD=600 TRUST_BURST=10000 \
	  TRUST_SOAK=96 \
	  $(BIN)/pytest -q -n $(WORKERS) tests/trust tests/unit/indexer/test_stage_boundaries.py tests/e2e/test_indexer_storms.py

team: $(VENV)/.test ## tests of a team's index, those by Ray on two nodes among them; installs Ray (240 MB)
	$(PIP) install --editable '.[team-index]'
	$(BIN)/pytest -q -n $(WORKERS) --dist loadfile -m "not bench and not trust" tests/team

bench: $(VENV)/.test ## measures, and reports the figures
	$(BIN)/pytest -q -s -m bench --timeout 1800

format: $(VENV)/.test ## formats the code and mends what can be mended safely
	$(BIN)/ruff check --fix-only
	$(BIN)/ruff format
	@if [ -e $(LUA_TOOLS) ]; then node editor/neovim/tools/stylua.cjs editor/neovim tests/neovim; \
	  else echo "make: Lua is not formatted: make test installs what that needs" >&2; fi

faces: $(VENV)/.test ## writes what each package of server/scry offers to others, lazily
	$(PY) -m tests.gates.faces

protocol: $(VENV)/.test ## writes what is generated from the protocol
	$(PY) -m protocol.generate

acceptance: $(VENV)/.test ## writes docs/acceptance.md from the tests' markers
	$(PY) -m tests.gates.acceptance

images: $(VSCODE)/.ready ## draws the pictures of README.md and docs/ anew
	$(BIN)/scry index
	$(PY) docs/make_images.py
	$(PY) -m docs.make_growth_plots
	$(PY) -m docs.make_neovim_images
	$(PY) -m docs.make_vscode_images

tutorial: $(VENV)/.test ## runs the commands of the tutorial and writes their output into it
	$(PY) -m docs.site.tutorial
	$(PY) -m docs.site.recording

docs: $(VENV)/.test ## builds the documentation site into dist/site; fails where a link is broken
	NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs build
	@echo "The site is in dist/site: open dist/site/index.html"

model: $(VENV)/.test ## mines, trains, evaluates and exports the bundled model
	PYTHONPATH=server $(PY) -m training

packages: $(VENV)/.test ## builds the wheel and the sdist, and tries both in clean environments
	$(BIN)/pytest -q -s tests/e2e/test_release.py

release: $(VENV)/.test $(CLIENT) $(RELEASE_TOOLS)/.made ## makes all files of a release in dist/; see docs/releasing.md
	PYTHONPATH=server $(PY) -m release dist --tools $(RELEASE_TOOLS)/$(notdir $(BIN))

release-check: release $(NEOVIMS) ## makes a release, installs it by pip, uv and pipx, and makes it again elsewhere
	RELEASE_DIST=dist RELEASE_TOOLS=$(RELEASE_TOOLS)/$(notdir $(BIN)) $(BIN)/pytest -q -s -n $(WORKERS) --dist loadfile \
	  tests/e2e/test_release.py tests/e2e/test_release_files.py tests/e2e/test_upgrade.py

clean: ## removes what was built and installed here
	rm -rf $(VENV) .cache editor/vscode/node_modules editor/neovim/tools/node_modules dist build tests/out .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find protocol server tests -name __pycache__ -type d -prune -exec rm -rf {} +

# ---------------------------------------------------------------- what is installed, each part once

$(VENV)/.made:
	@command -v $(PYTHON) >/dev/null || \
	  { echo "make: there is no $(PYTHON); install Python 3.10 or newer, or name one: make PYTHON=…" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
	  { echo "make: $(PYTHON) is $$($(PYTHON) -V 2>&1); Scry needs 3.10 or newer: make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || \
	  { echo "make: $(PYTHON) has no venv; on Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }
	$(if $(UV),$(UV) venv -q --seed --allow-existing --python $(PYTHON) $(VENV) || )$(PYTHON) -m venv $(VENV)
	@touch $@

# uv, where there is one, takes a fifth of pip's time. A pip before 22.3 can't install a package of this kind editably.
define install
@echo "Installing Scry into $(VENV): about half a minute …"
@$(PY) -c 'import pip, sys; sys.exit([int(part) for part in pip.__version__.split(".")[:2]] < [22, 3])' || \
  $(PIP) install --upgrade pip
$(if $(UV),$(UV) pip install -q --python $(PY) --editable $(1) || )$(PIP) install --no-compile --editable $(1)
@touch $@
endef

# What answers questions, without the servers for agents: the first answer of `make demo` need not wait for these.
$(VENV)/.base: $(VENV)/.made pyproject.toml
	$(call install,.)

$(VENV)/.setup: $(VENV)/.made pyproject.toml
	$(call install,'.[mcp]')

# Has groups of dependencies.
$(VENV)/.pip: $(VENV)/.made
	$(PIP) install --upgrade 'pip>=25.1'
	@touch $@

# After the first answer of `make demo`, which needs few of the packages. Scry's own source is compiled too: where Python
# may write no compiled files, each of Scry's processes would compile it again.
$(VENV)/.compiled: $(VENV)/.setup $(shell find $(SOURCES) -name '*.py')
	@$(PY) -m compileall -qq $(SOURCES) $(VENV)/$(if $(filter Windows_NT,$(OS)),Lib,lib) || true # some packages carry templates
	@touch $@

$(VENV)/.test: $(VENV)/.compiled $(VENV)/.pip
	@echo "Installing what the gates and tests need …"
	$(PIP) install --editable '.[mcp,team,training]' --group test --group release --group docs
	@touch $@

# A failure of the next ones only leaves out the tests that need it, which are named at the end; with CI=true they fail.
$(VENV)/.transformers: $(VENV)/.test
	@echo "Installing sentence-transformers and torch (over 1 GB): some minutes …"
	@if $(PIP) install --editable '.[transformers]' 'torch==2.13.0'; then touch $@; \
	  else echo "make: not installed; the tests that need it are not run" >&2; fi

$(RELEASE_TOOLS)/.made: pyproject.toml
	@echo "Installing what makes and tries a release …"
	$(PYTHON) -m venv $(RELEASE_TOOLS)
	$(RELEASE_TOOLS)/$(notdir $(BIN))/python -m pip install --disable-pip-version-check -qq --upgrade 'pip>=25.1'
	$(RELEASE_TOOLS)/$(notdir $(BIN))/python -m pip install --disable-pip-version-check -qq --group release-tools
	@touch $@

$(CLIENT): editor/vscode/package-lock.json
	@echo "Installing what the VS Code client needs …"
	@if npm ci --prefix editor/vscode --no-fund --no-audit --loglevel error; then touch $@; \
	  else echo "make: not installed; the tests that need it are not run" >&2; fi

$(LUA_TOOLS): editor/neovim/tools/package-lock.json
	@echo "Installing what formats Lua …"
	@if npm ci --prefix editor/neovim/tools --no-fund --no-audit --loglevel error; then touch $@; \
	  else echo "make: not installed; the tests that need it are not run" >&2; fi

# Neovim and plugins from Debian's suites, each into a folder of its own; nothing on this machine is changed by that.
$(NEOVIM)/0.12/.made: SUITE = forky
$(NEOVIM)/0.12/.made: PACKAGES = neovim-telescope neovim-plenary neovim-mini.test lua-check
$(NEOVIM)/0.10/.made: SUITE = trixie
$(NEOVIM)/%/.made: editor/neovim/tools/install-neovim.sh | $(VENV)/.setup $(VENV)/.pip
	@echo "Installing Neovim $* from Debian's $(SUITE) into $(@D) …"
	@$(PIP) install --group neovim
	@if PATH="$(CURDIR)/$(BIN):$$PATH" $< $(SUITE) $(@D) $(PACKAGES); then touch $@; \
	  else echo "make: not installed; the tests that need it are not run" >&2; fi

$(VSIX): $(VENV)/.test $(CLIENT) $(VSIX_SOURCES) $(wildcard editor/vscode/*.json editor/vscode/*.md editor/vscode/scripts/*)
	@[ -e $(CLIENT) ] || { echo "make: the extension needs Node.js 20 or newer, with npm" >&2; exit 1; }
	@echo "Building the VS Code extension …"
	editor/vscode/scripts/package.sh $(PY)

$(VSCODE)/.code-server: editor/vscode/scripts/get-code-server.sh
	@echo "Installing code-server (VS Code in a browser, 800 MB) into $(VSCODE): about a minute …"
	@mkdir -p $(VSCODE)
	@if $< $(CURDIR)/$(VSCODE)/code-server; then touch $@; else echo "make: code-server is not installed" >&2; fi

$(VSCODE)/.chromium: editor/vscode/scripts/get-chromium.sh
	@echo "Unpacking Chromium (400 MB) into $(VSCODE) …"
	@mkdir -p $(VSCODE)
	@if $< $(CURDIR)/$(VSCODE)/chromium; then touch $@; else echo "make: Chromium is not installed" >&2; fi

# The tests in a real VS Code.
$(VSCODE)/.ready: $(VSCODE)/.code-server $(VSCODE)/.chromium $(CLIENT)
	@if $(MAKE) --no-print-directory $(VSIX); then touch $@; \
	  else echo "make: the extension could not be built; its tests are not run" >&2; fi
.PHONY: $(VSCODE)/.ready
