.DEFAULT_GOAL := help
BIN := node_modules/.bin
REPORT := .cache/vitest.json

.PHONY: help install build run test test-mux lint fmt bench schemas dist clean

help: ## Show this list
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

node_modules/.stamp: package.json package-lock.json
	npm ci --no-audit --no-fund --loglevel=error
	@touch $@

install: node_modules/.stamp ## Install the pinned dependencies

dist/.stamp: node_modules/.stamp tsdown.config.ts tsconfig.json $(shell find src -name '*.ts')
	$(BIN)/tsdown --logLevel error
	@touch $@

build: dist/.stamp ## Build dist/

run: build ## Play the main job: an agent that may not stop until its hooks agree
	@node scripts/demo.mjs

lint: install ## ESLint, Prettier, import rules, dead code, types
	$(BIN)/tsc --noEmit
	$(BIN)/eslint . --max-warnings 0
	$(BIN)/prettier --check --log-level warn .
	$(BIN)/depcruise --output-type err-long src
	$(BIN)/knip

fmt: install ## Format everything
	$(BIN)/prettier --write --log-level warn .

test: build lint ## Install, build, lint, and run every test
	@mkdir -p $(dir $(REPORT)) && rm -f $(REPORT)
	@$(BIN)/vitest run --reporter=default --reporter=json --outputFile.json=$(REPORT); \
	  code=$$?; node scripts/summary.mjs $(REPORT) && exit $$code

test-mux: build ## Run the host scenarios in a real Mux: MUX_DIST=/path/to/mux
	@node scripts/testMux.mjs "$(MUX_DIST)"

bench: build ## Measure against the budgets in bench/budgets.json
	@$(BIN)/tsx bench/run.ts

schemas: install ## Write schemas/ from the zod definitions
	@$(BIN)/tsx scripts/schemas.ts

dist: build schemas ## Check the package as npm would ship it
	$(BIN)/publint --strict
	$(BIN)/attw --pack . --profile esm-only --exclude-entrypoints register

clean: ## Remove what was built
	rm -rf dist coverage .cache
