.DEFAULT_GOAL := help
BIN := node_modules/.bin
TSX := $(BIN)/tsx --import ./scripts/shellTextHook.mjs
REPORT := .cache/vitest.json
SHELL_FILES := $(shell find src -name '*.sh')
LINTERS := lint-code lint-format lint-imports lint-unused lint-shell

.PHONY: help install build run test programs test-fresh gate-property test-mux fuzz fault soak lint $(LINTERS) fmt bench schemas dist clean

help: ## Show this list
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

node_modules/.stamp: package.json package-lock.json
	npm ci --no-audit --no-fund --loglevel=error
	@touch $@

install: node_modules/.stamp ## Install the pinned dependencies

dist/.stamp: node_modules/.stamp tsdown.config.ts tsconfig.json $(shell find src -name '*.ts' -o -name '*.sh')
	$(BIN)/tsdown --logLevel error
	@touch $@

build: dist/.stamp ## Build dist/

run: build ## Play the main job: an agent that may not stop until its hooks agree
	@node scripts/demo.mjs

lint: ## Types, code, format, import rules, dead code
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
	@for file in $(SHELL_FILES); do echo "dash -n $$file"; dash -n $$file || exit 1; done
	@if command -v shellcheck >/dev/null; then shellcheck $(SHELL_FILES); else echo "skipped: shellcheck is not installed"; fi

fmt: install ## Format everything
	$(BIN)/oxfmt --write .

# Many tests wait for something; the linters have the processor then.
test: programs build ## Install, build, lint, and run every test
	@mkdir -p $(dir $(REPORT)) && rm -f $(REPORT)
	@nice $(MAKE) --no-print-directory $(LINTERS) >.cache/lint.log 2>&1 & linters=$$!; \
	  $(BIN)/vitest run --reporter=default --reporter=json --outputFile.json=$(REPORT); code=$$?; \
	  wait $$linters || { cat .cache/lint.log; code=1; }; \
	  node scripts/summary.mjs $(REPORT) && exit $$code

programs:
	@node scripts/programs.mjs

test-fresh: ## Run the commands of the README where nothing but the listed programs is installed
	@node scripts/testFresh.mjs

gate-property: install ## Play 2,000 random sequences of an agent's acts against the gate: SEQUENCES=2000
	@SEQUENCES=$${SEQUENCES:-2000} $(BIN)/vitest run --project local test/property/gateHolds.test.ts

test-mux: build ## Run the host scenarios in a real Mux: MUX_DIST=/path/to/mux
	@node scripts/testMux.mjs "$(MUX_DIST)"

fuzz: install ## Feed every parser a million foreign inputs: FUZZ_INPUTS, FUZZ_SEED, FUZZ_PARSER
	@$(TSX) test/fuzz/run.ts

fault: build ## Kill, starve and race everything for FAULT_SECONDS (600), and print counts: FAULT_SEED
	@$(TSX) test/fault/run.ts

soak: install ## Stop 10,000 times in one process, and compare descriptors and memory: SOAK_STOPS
	@$(TSX) test/fault/soak.ts

bench: build ## Measure against the budgets in bench/budgets.json
	@$(TSX) bench/run.ts

schemas: install ## Write schemas/ from the zod definitions, and docs/reference/who-sees-what.md
	@$(TSX) scripts/schemas.ts

dist: build schemas ## Check the package as npm would ship it
	$(BIN)/publint --strict
	$(BIN)/attw --pack . --profile esm-only --exclude-entrypoints register

clean: ## Remove what was built
	rm -rf dist coverage .cache
