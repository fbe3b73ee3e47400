.DEFAULT_GOAL := help
BIN := node_modules/.bin
TSX := $(BIN)/tsx --import ./scripts/shellTextHook.mjs
REPORT := .cache/vitest.json
SHELL_FILES := $(shell find src plugin -name '*.sh')
LINTERS := lint-code lint-format lint-imports lint-unused lint-shell lint-words

.PHONY: help install build install-global run test programs test-fresh test-flaky mutants gate-property test-mux test-upstream test-hosts test-tools fuzz fault soak lint messages $(LINTERS) fmt bench bench-growth plots performance api schemas picture tool-outputs test-install dist clean

help: ## Show this list
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

node_modules/.stamp: package.json package-lock.json
	npm ci --include=dev --no-audit --no-fund --loglevel=error
	@touch $@

install: node_modules/.stamp ## Install the pinned dependencies

# npm ci has built dist/ (the script `prepare`), and then this builds nothing.
dist/.stamp: node_modules/.stamp tsdown.config.ts tsconfig.json scripts/licenses.mjs $(shell find src -name '*.ts' -o -name '*.sh')
	node scripts/build.mjs
	@touch $@

build: dist/.stamp ## Build dist/

install-global: build ## Put mux-stop-hooks on the PATH, with npm install --global
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && \
	  npm pack --silent --ignore-scripts --pack-destination "$$folder" >/dev/null && \
	  npm install --global --no-audit --no-fund --loglevel=error "$$folder"/*.tgz && \
	  echo "mux-stop-hooks is in $$(npm prefix --global)/bin"

run: build ## Run the demo: hooks and gates send an agent back to work
	@node scripts/demo.mjs

lint: ## Check types, code, format, import rules, dead code and shell scripts
	@$(MAKE) --no-print-directory --jobs=2 $(LINTERS)

lint-code: install
	$(BIN)/oxlint
lint-format: install
	$(BIN)/oxfmt --check .
lint-imports: install
	$(BIN)/depcruise --output-type err-long src
lint-unused: install
	$(BIN)/knip
lint-shell:
	@for file in $(SHELL_FILES); do echo "sh -n $$file"; sh -n $$file || exit 1; done
	@if command -v shellcheck >/dev/null; then shellcheck --norc $(SHELL_FILES); else echo "skipped: shellcheck is not installed"; fi

lint-words: install
	node scripts/plainEnglish.mjs

messages: install ## Print every message of the program as a table
	@node scripts/messages.mjs

fmt: install ## Format everything
	$(BIN)/oxfmt --write .

# The linters run in parallel, at low priority, because tests often wait for processes and time limits.
test: programs build ## Install, build, lint, and run every test
	@mkdir -p $(dir $(REPORT)) && rm -f $(REPORT)
	@nice $(MAKE) --no-print-directory $(LINTERS) >.cache/lint.log 2>&1 & linters=$$!; \
	  $(BIN)/vitest run --reporter=default --reporter=json --outputFile.json=$(REPORT); code=$$?; \
	  wait $$linters || { cat .cache/lint.log; code=1; }; \
	  node scripts/summary.mjs $(REPORT) && exit $$code

programs:
	@node scripts/programs.mjs

test-fresh: ## Run the commands of the README with only the listed programs on PATH: WITHOUT=zsh
	@node scripts/testFresh.mjs

test-flaky: build ## Run all tests repeatedly, idle, loaded and delayed, and list those that fail: ROUNDS (10), FLAKY_SEED
	@node scripts/testFlaky.mjs $(FILES)

mutants: install ## Change one place in each of 40 files, and list the changes that no test notices: MUTANTS MUTANTS_SEED MUTANTS_FILES
	@node scripts/mutants.mjs

gate-property: build ## Run 2,000 random sequences of actions, and as many of stops, and 50 with vitest, against the gate: SEQUENCES=2000
	@SEQUENCES=$${SEQUENCES:-2000} $(BIN)/vitest run --project local test/property/gateHolds.test.ts \
	  test/property/baseHolds.test.ts test/integration/gauntlet/stops/property.test.ts
	@SEQUENCES=$$(($${SEQUENCES:-2000} / 40)) TOOL=vitest $(BIN)/vitest run --project local test/property/baseHolds.test.ts

test-mux: build ## Run the host scenarios in a real Mux: MUX_DIST=/path/to/mux
	@node scripts/testMux.mjs "$(MUX_DIST)"

test-upstream: build ## Apply docs/upstream to a copy of Mux, compile it, and run hooks in it: MUX_SRC=/path/to/mux
	@node scripts/testUpstream.mjs "$(MUX_SRC)"

test-hosts: build ## Run real agent command lines with scripted models (1 GB): HOSTS=codex,gemini HOSTS_CACHE HOSTS_REQUIRED
	@node scripts/testHosts.mjs $(FILES)

test-tools: build ## Run init and its hook with real test runners and build tools: TOOLS=go,just TOOLS_CACHE TOOLS_REQUIRED
	@node scripts/testTools.mjs

fuzz: install ## Feed one million hostile inputs to every parser: FUZZ_INPUTS, FUZZ_SEED, FUZZ_PARSER
	@$(TSX) --min-semi-space-size=256 --max-semi-space-size=256 test/fuzz/run.ts

fault: build ## Kill processes, exhaust resources and provoke races, and print counts: FAULT_SECONDS (600), FAULT_SEED
	@$(TSX) test/fault/run.ts
	@RECORDS=all $(BIN)/vitest run --project local test/integration/gauntlet/trust/corrupted.test.ts

soak: install ## Run 10,000 stops in one process, and compare descriptors and memory: SOAK_STOPS
	@$(TSX) test/fault/soak.ts

bench: build ## Measure against the budgets in bench/budgets.json: BENCH_ONLY=checks-8 BENCH_JSON BENCH_NODE BENCH_MAX_LOAD
	@$(TSX) bench/run.ts

bench-growth: build ## Measure how durations grow with checks and files (ten minutes): BENCH_ONLY=files-1000
	@$(TSX) bench/growth/run.ts

plots: install ## Draw the charts and fill in the tables of docs/performance.md from docs/performance/*.json
	@$(TSX) scripts/performance/plots.ts

performance: build ## Measure everything, and update docs/performance.md
	@BENCH_JSON=docs/performance/figures.json $(TSX) bench/run.ts || true
	@$(TSX) bench/growth/run.ts
	@$(TSX) scripts/performance/plots.ts

api: build ## Write docs/reference/api.txt, the public API of each entry, which a test compares
	@node scripts/apiReport.mjs

schemas: install ## Generate schemas/ and docs/reference/who-sees-what.md from the code
	@$(TSX) scripts/schemas.ts

picture: build ## Draw docs/stop.svg, the picture of the README, from a real session
	@node scripts/picture.mjs

tool-outputs: ## Run real compilers, linters and test runners, and save what they print as fixtures (needs the network)
	@node scripts/toolOutputs.mjs

test-install: build ## Install the last commit from git and start its commands; run the examples of docs/api.md with the tarball: RUNTIMES="node@22 bun" INSTALL_ONLY=examples
	@node scripts/testInstall.mjs

dist: build schemas ## Check the package as npm would publish it
	$(BIN)/publint --strict
	$(BIN)/attw --pack . --profile esm-only --exclude-entrypoints register

clean: ## Remove build output
	rm -rf dist coverage .cache
