/** Which commands end at their first failure, and the parts that show everything. */
import { describe, expect, test } from "vitest";
import {
  analyzeCommand,
  type CommandScripts,
  type MakeTarget,
} from "@/node/services/gauntlet/shell/splitFailFast";

const TARGETS: Readonly<Record<string, MakeTarget>> = {
  all: { prerequisites: ["lint", "unit"], recipe: [] },
  lint: { prerequisites: [], recipe: ["@eslint ."] },
  unit: { prerequisites: ["src.o"], recipe: ["./run-tests"] },
  two: { prerequisites: [], recipe: ["@eslint .", "@tsc --noEmit"] },
  variable: { prerequisites: [], recipe: ["$(PYTHON) -m mypy .", "$(PYTHON) -m pytest"] },
  escaped: { prerequisites: [], recipe: ['test -n "$$CI"', "mocha"] },
  chain: { prerequisites: [], recipe: ["eslint . && mocha"] },
  built: { prerequisites: ["build"], recipe: ["./run-tests"] },
  build: { prerequisites: [], recipe: ["cc a.c"] },
  says: { prerequisites: [], recipe: ["@echo 'a && b'", "@echo lint && eslint .", "mocha"] },
  prepared: { prerequisites: ["build"], recipe: ["eslint . && mocha"] },
  ignored: { prerequisites: [], recipe: ["-eslint .", "mocha"] },
  generated: { prerequisites: ["api.pb.go"], recipe: ["a", "b"] },
  cycle: { prerequisites: ["cycle", "lint"], recipe: [] },
  nested: { prerequisites: ["all", "two"], recipe: [] },
};

const SCRIPTS: Readonly<Record<string, string>> = {
  test: "xo && ava",
  one: "ava",
  chain3: "npm run lint && npm run types && ava",
  lint: "eslint .",
  "lint:css": "stylelint .",
  "lint:md": "remark .",
  types: "tsc --noEmit",
  build: "tsc",
  built: "npm run build && ava",
  compiled: "tsc && mocha",
  hooked: "ava",
  prehooked: "xo",
  made: "mocha",
  premade: "npm run build",
  env: "NODE_ENV=test xo && NODE_ENV=test ava",
  deep: "npm run test",
  loop: "npm run loop && xo",
  bail: "ava --fail-fast",
  piped: "xo | cat && ava",
  all: "run-s lint types",
  globs: "run-s lint:*",
  parallel: "run-p lint types",
  on: "npm-run-all -c lint types",
  odd: "run-s 'lint -- --fix' types",
};

const scripts = (more: Partial<CommandScripts> = {}): CommandScripts => ({
  npm: new Map(Object.entries(SCRIPTS)),
  make: (name) => TARGETS[name ?? "all"],
  run: (name) => `npm run ${name}`,
  exec: (line) => `npx --no-install ${line}`,
  compiles: true,
  ...more,
});

const partsOf = (command: string, more: Partial<CommandScripts> = {}): readonly string[] => {
  const found = analyzeCommand(command, scripts(more));
  return found.kind === "firstFailure" ? found.parts : [found.kind];
};

const X = "npx --no-install";

describe("a command that ends at its first failure", () => {
  test.each<[string, readonly string[]]>([
    ["a && b && c", ["a", "b", "c"]],
    ["a &&\n b", ["a", "b"]],
    ["a \\\n && b", ["a", "b"]],
    ["a # one && two\n", ["single"]],
    ["cd x && a && b", ["cd x && a", "cd x && b"]],
    ["a && cd x && b", ["a", "cd x && b"]],
    ["export A=1 && a && b", ["export A=1 && a", "export A=1 && b"]],
    ["export A=1; a && b", ["export A=1 && a", "export A=1 && b"]],
    ["A=1 a && b", ["A=1 a", "b"]],
    ["set -e; a; b", ["a", "b"]],
    ["set -euo pipefail\na\nb\n", ["a", "b"]],
    ["set -o errexit; a; b", ["a", "b"]],
    ["cd x; set -e; a; b", ["cd x && a", "cd x && b"]],
    ["bash -o pipefail -c 'a && b'", ["a", "b"]],
    ["A=1 sh -c '(a; b) && c'", ["export A=1 && (a; b)", "A=1 c"]],
    ["A=1 sh -c 'a || b && c'", ["export A=1 && a || b", "A=1 c"]],
    ["a 'x && y' && b", ["a 'x && y'", "b"]],
    ['a "x && $(c && d)" && b', ['a "x && $(c && d)"', "b"]],
    ["a `c && d` && b", ["a `c && d`", "b"]],
    ["a ${X:-&&} && b", ["a ${X:-&&}", "b"]],
    ["a\\&\\& && b", ["a\\&\\&", "b"]],
    ["a >x 2>&1 && b &>y", ["a >x 2>&1", "b &>y"]],
    ["a | c && b", ["a | c", "b"]],
    ["a |\n c && b", ["a |\n c", "b"]],
    ["set -e\n(a) | (c)\nb", ["(a) | (c)", "b"]],
    ["npm \\\n run chain\\\n3", ["npm run lint", "npm run types", `${X} ava`]],
    ["(a && b)", ["a", "b"]],
    ["(cd x && a) && b", ["(cd x && a)", "b"]],
    ["{ a && b; }", ["a", "b"]],
    ["sh -c 'a && b'", ["a", "b"]],
    ["bash -ec 'a; b'", ["a", "b"]],
    ["a || true && b", ["a || true", "b"]],
    ["tsc && mocha && eslint .", ["tsc && mocha", "tsc && eslint ."]],
    ["eslint . && tsc", ["eslint .", "tsc"]],
    ["tsc --noEmit && mocha", ["tsc --noEmit", "mocha"]],
    ["rm -rf x && mocha", ["single"]],
    // Scripts.
    ["npm test", [`${X} xo`, `${X} ava`]],
    ["npm run -s test", [`${X} xo`, `${X} ava`]],
    ["npm test --silent", [`${X} xo`, `${X} ava`]],
    ["npm test -- --tap", [`${X} xo`, `${X} ava --tap`]],
    ["npm run chain3", ["npm run lint", "npm run types", `${X} ava`]],
    ["pnpm test", [`${X} xo`, `${X} ava`]],
    ["yarn test", [`${X} xo`, `${X} ava`]],
    ["bun run test", [`${X} xo`, `${X} ava`]],
    ["CI=1 npm test", [`CI=1 ${X} xo`, `CI=1 ${X} ava`]],
    ["npm run deep", [`${X} xo`, `${X} ava`]],
    ["npm run env", [`NODE_ENV=test ${X} xo`, `NODE_ENV=test ${X} ava`]],
    ["npm run hooked", [`${X} xo`, `${X} ava`]],
    ["npm run made", ["single"]],
    ["npm run built", ["single"]],
    ["npm run compiled", ["single"]],
    ["npm run all", ["npm run lint", "npm run types"]],
    ["npm run globs", ["npm run lint:css", "npm run lint:md"]],
    ["npm run parallel", ["npm run lint", "npm run types"]],
    ["npm run bail", [`${X} ava`]],
    ["npm run lint && make all", ["npm run lint", "make lint", "make unit"]],
    // Flags.
    ["pytest -x", ["pytest"]],
    ["python3 -m pytest -x tests", ["python3 -m pytest tests"]],
    ["pytest -xvs -rx", ["pytest -vs -rx"]],
    ["pytest -vxk 'a b'", ["pytest -vk 'a b'"]],
    ["coverage run --branch -m pytest -x", ["coverage run --branch -m pytest"]],
    ["python manage.py test --failfast", ["python manage.py test"]],
    ["python -m unittest -fv", ["python -m unittest -v"]],
    ["npx playwright test -x", ["npx playwright test"]],
    ["npx playwright test --max-failures=1", ["npx playwright test"]],
    ["rspec --fail-fast=1", ["rspec"]],
    ["jest -b", ["jest"]],
    ["pytest --exitfirst", ["pytest"]],
    ["pytest --maxfail=2", ["pytest"]],
    ["pytest --maxfail 2 tests", ["pytest tests"]],
    ["npx vitest run --bail 1", ["npx vitest run"]],
    ["npx jest --bail", ["npx jest"]],
    ["go test -failfast ./...", ["go test ./..."]],
    ["bundle exec rspec --fail-fast", ["bundle exec rspec"]],
    ["vendor/bin/phpunit --stop-on-failure", ["vendor/bin/phpunit"]],
    ["cargo test", ["cargo test --no-fail-fast"]],
    ["cargo test -q -- --nocapture", ["cargo test -q --no-fail-fast -- --nocapture"]],
    ["cargo nextest run", ["cargo nextest run --no-fail-fast"]],
    ["cargo fmt --check && cargo test", ["cargo fmt --check", "cargo test --no-fail-fast"]],
    ["mvn -q test", ["mvn -q test -fae"]],
    ["./gradlew test", ["./gradlew test --continue"]],
    ["npx turbo run lint test", ["npx turbo run lint test --continue"]],
    ["npm exec -- turbo run test", ["npm exec -- turbo run test --continue"]],
    ["lerna run test", ["lerna run test --no-bail"]],
    ["pnpm -r test", ["pnpm -r --no-bail test"]],
    ["pnpm --recursive run test", ["pnpm --recursive --no-bail run test"]],
    ["pnpm -F x run -r test", ["pnpm -F x run -r --no-bail test"]],
    // make.
    ["make", ["make lint", "make unit"]],
    ["make lint unit", ["make lint", "make unit"]],
    ["make two", ["eslint .", "tsc --noEmit"]],
    ["make chain", ["eslint .", "mocha"]],
    ["make prepared", ["make build && eslint .", "make build && mocha"]],
    ["make escaped", ['test -n "$CI"', "mocha"]],
    ["make says", ["echo lint", "eslint .", "mocha"]],
    ["make nested", ["make lint", "make unit", "eslint .", "tsc --noEmit"]],
    ["make -j 4 lint unit", ["make -j 4 lint", "make -j 4 unit"]],
    ["make -j 2 build && mocha && xo", ["make -j 2 build && mocha", "make -j 2 build && xo"]],
    ["make A=1 lint unit", ["make A=1 lint", "make A=1 unit"]],
  ])("%j has the parts %j", (command, parts) => {
    expect(partsOf(command)).toEqual(parts);
  });

  test.each([
    "a && b || c",
    "echo start; eslint . && mocha",
    "cd x || exit 1; a && b",
    "a; (b && c)",
    "a; npm test",
    "a && b & c",
    "concurrently --kill-others-on-fail a b",
    "concurrently 'a' 'b' -k",
    "tox",
    "yarn workspaces run test",
    "make variable",
    "make generated",
    "docker compose up -d && mocha && docker compose down",
    "make up && mocha && xo",
    "npm run piped",
    "npm run odd",
    "if a; then b; fi",
    "for x in 1 2; do a; done && b",
    "f() { a; } && f",
    "cat <<E && b\nE",
    "a && 'b",
    "[[ -f a && -f b ]] && c",
    "a && $(b",
    "a && (b",
    "a && b)",
    "&& b",
  ])("cannot be split: %j", (command) => {
    expect(analyzeCommand(command, scripts())).toMatchObject({ kind: "firstFailure", parts: [] });
  });
});

test("a target cannot be split if its lines need make, for example for exported variables", () => {
  expect(partsOf("make two", { needsMake: true })).toEqual([]);
});

describe("a command that runs everything", () => {
  test.each([
    ["", "single"],
    ["a", "single"],
    ["a || b", "single"],
    ["! a", "single"],
    ["cd x && a", "single"],
    ["A=1 a", "single"],
    ["npm run one", "single"],
    ["npm run nowhere", "single"],
    ["npm run lint --workspace x", "single"],
    ["cargo clippy --all-targets -- -D warnings", "single"],
    ["cargo test --lib", "single"],
    ["cargo test --no-fail-fast", "single"],
    ["mvn test -fae", "single"],
    ["gradle test --continue", "single"],
    ["turbo run test --continue", "single"],
    ["bash -x run.sh", "single"],
    ["vitest run --bail=0", "single"],
    ["pytest --maxfail 0", "single"],
    ["tox -e py311", "single"],
    ["make lint", "single"],
    ["make -j 4 lint", "single"],
    ["make -C x all", "single"],
    ["make built", "single"],
    ["make ignored", "single"],
    ["make nowhere", "single"],
    ["bun test", "single"],
    ["pnpm vitest run -r packages/x", "single"],
    ["go test ./...", "whole"],
    ["pre-commit run --all-files", "whole"],
    ["npx --no-install nx run-many -t test", "whole"],
    ["npm test --workspaces", "whole"],
    ["pnpm -r --no-bail test", "whole"],
    ["npm run on", "whole"],
    ["make -k all", "whole"],
    ["pytest -k x -rx", "single"],
    ["a; b", "whole"],
    ["[ -f x ] && b; a", "whole"],
    ["concurrently a b", "whole"],
    ["a\nb", "whole"],
    ["a & b", "whole"],
    ["a; set -e; b", "whole"],
  ])("%j is %s", (command, kind) => {
    expect(analyzeCommand(command, scripts()).kind).toBe(kind);
  });
});

test("a plain tsc is a part of its own if it writes nothing", () => {
  expect(partsOf("npm run compiled", { compiles: false })).toEqual([`${X} tsc`, `${X} mocha`]);
});

test("the reason names the flag or the operator", () => {
  const why = (command: string): unknown => analyzeCommand(command, scripts());
  expect(why("a && b")).toMatchObject({ why: '"&&" ends it at the first failure' });
  expect(why("pytest -x")).toMatchObject({ why: "-x ends pytest at its first failure" });
  expect(why("cargo test")).toMatchObject({
    why: "cargo ends at its first failure without --no-fail-fast",
  });
});

describe("hostile input", () => {
  const MB10 = 10 * 1024 * 1024;
  test.each([
    ["a long line", "a && ".repeat(MB10 / 5)],
    ["many commands", "a && ".repeat(10_000) + "a"],
    ["deep groups", `${"(".repeat(30_000)}a${")".repeat(30_000)}`],
    ["deep braces", `${"{ ".repeat(20_000)}a`],
    ["deep substitutions", `${"$(".repeat(30_000)}a`],
    ["open quotes", `a && ${"'\"".repeat(30_000)}`],
    ["quotes in quotes", `a "${"`".repeat(60_000)}`],
    ["redirections", ">".repeat(65_000)],
    ["words without an end", `a ${"$".repeat(65_000)}`],
    ["NUL and surrogates", "a\u0000\ud800 && b\u202e"],
  ])("%s is analyzed", (_, command) => {
    expect(["single", "whole", "firstFailure"]).toContain(analyzeCommand(command, scripts()).kind);
  });

  test("scripts that call each other end", () => {
    expect(analyzeCommand("npm run loop", scripts()).kind).toBe("firstFailure");
    const wide = new Map(
      Array.from({ length: 6 }, (_, i) => [
        `s${i}`,
        Array.from({ length: 30 }, () => `npm run s${i + 1}`).join(" && "),
      ])
    );
    expect(partsOf("npm run s0", { npm: wide })).toEqual([]);
    expect(analyzeCommand("make cycle", scripts()).kind).toBe("firstFailure");
  });
});
