import { expect, test } from "vitest";
import * as inspectedFiles from "@/node/services/gauntlet/domain/commands/inspectedFiles";

test.each([
  ["npx vitest run --changed {base} --passWithNoTests", "npx vitest run --passWithNoTests"],
  ["npx vitest run --changed='{base}'; echo", "npx vitest run; echo"],
  ["pnpm vitest run --changed {base}", "pnpm vitest run"],
  ["node_modules/.bin/jest --changedSince={base} -w 2", "node_modules/.bin/jest -w 2"],
  ["npx turbo run test --affected", "npx turbo run test"],
  ['turbo run test --filter "...[{base}]"', "turbo run test"],
  ["npx nx affected --base={base} -t test", "npx nx run-many -t test"],
  ["nx affected -t test", "nx run-many -t test"],
  ["npx turbo@2 run test --affected", "npx turbo@2 run test"],
  ["sh -c 'turbo run test --affected'", "sh -c 'turbo run test'"],
  ['sh -c "npx nx@latest affected --base={base}"', 'sh -c "npx nx@latest run-many"'],
  ["sh -c 'vitest run --changed {base}' && echo", "sh -c 'vitest run' && echo"],
  ['pnpm --filter "...[{base}]" test', "pnpm -r test"],
  ['cd app && pnpm -F "...[{base}]" run lint', "cd app && pnpm -r run lint"],
])("removes the option of a known tool: %s (G33)", (command, whole) => {
  expect(inspectedFiles.withoutBase(command)).toBe(whole);
});

test.each([
  "GAUNTLET_BASE={base} npm test",
  "golangci-lint run --new-from-rev={base}",
  "npx vitest run --changed {base} && ./other {base}",
  "echo vitest; ./check --changed {base}",
  "npm test -- --changed {base}",
  "npm test",
])("does not guess another command for %s (G33)", (command) => {
  expect(inspectedFiles.withoutBase(command)).toBeUndefined();
});

test("recognizes how a tool finds changes (G33)", () => {
  const kinds = [
    ...["vitest run --changed {base}", "npx jest --changedSince={base}"],
    ...["turbo run test --affected", "turbo run test ${base}", "nx affected -t test"],
    ...["npx nx@latest affected -t test", "sh -c 'turbo run test --affected'"],
    ...["sh -c 'jest --changedSince {base}'", "nx test", 'pnpm --filter "...[{base}]" test'],
    ...["git diff {base}", "npm test"],
  ].map(inspectedFiles.comparedKind);
  expect(kinds).toEqual([
    ...["tests", "tests", "packages", undefined, "packages", "packages"],
    ...["packages", "tests", undefined, "packages"],
    ...["other", undefined],
  ]);
});

test("knows tools that look at each file alone (G32)", () => {
  const all = [
    "npx prettier --check {files}",
    "cd app && ruff check {files} && black --check {files}",
    ...["npx --yes prettier@3 --check {files}", "pnpm exec -- prettier --check {files}"],
    ...['test -z "$(gofmt -l {files})"', "! node_modules/.bin/cspell {files} | grep Unknown"],
    ...["! xargs -0 grep TODO {files0}", 'test -z "$(grep -l TODO {files})"'],
    ...["FORCE_COLOR=1 uv run ruff check {files}", "xargs -0 python3 -m black --check {files0}"],
  ];
  const others = [
    ...["vitest related {files}", "eslint {files}", "tsc && prettier --check {files}"],
    ...["npx mocha --grep unit {files}", "npx playwright test --grep @smoke {files}"],
    ...["eslint --plugin prettier {files}", "pytest tests/ruff {files}", "prettier-eslint {files}"],
    ...["vitest related {files} | grep -v WARN", "prettier --check {files}; ./check {files}"],
    ...["prettier --check {files} && grep -q x README.md", "xargs grep -L x {files0}"],
  ];
  expect(all.map(inspectedFiles.looksAtEachFile)).toEqual(all.map(() => true));
  expect(others.map(inspectedFiles.looksAtEachFile)).toEqual(others.map(() => false));
});
