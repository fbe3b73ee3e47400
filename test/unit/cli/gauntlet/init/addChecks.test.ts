/** Checks that a second `init` adds to the text of a configuration (G29). */
import { expect, test } from "vitest";
import { addChecks, type FirstCheck } from "@/cli/gauntlet/init/configText";

const LINT: FirstCheck = {
  folder: ".",
  ...{ name: "lint", kind: "lint", command: "ruff check .", reason: "ruff.toml exists" },
  entryPoints: ["."],
};
const UNIT: FirstCheck = { ...LINT, name: "unit", entryPoints: ["packages/*"] };
const ADDED = "# ruff.toml exists\nlint:\n  command: ruff check .\n  parallel: true\n";
const added = (by: number): string => ADDED.replaceAll(/^(?=.)/gm, " ".repeat(by));

test.each([
  ["checks:\n  test: a # b\n", added(2), "# end\nmax_retries: 2\n"],
  ["checks:\n    test: |\n        a\n\n        b\n", added(4), ""],
  ["checks:\n  test: a", `\n${added(2)}`, ""],
  ["entry_points:\n- path: .\n  checks: [test]\n", `\nchecks:\n${added(2)}`, ""],
  [
    "# mine\nchecks:\n  test:\n    command: a\n    files: [a]\n",
    added(2),
    "entry_points: [{path: a}]\n",
  ],
])("adds a check of the root to %j, and keeps all other text", (before, text, after) => {
  expect(addChecks(`${before}${after}`, [LINT], new Date(0))).toBe(`${before}${text}${after}`);
});

test.each([
  ["checks:\n  test: a\n", "\nentry_points:\n  - path: packages/*\n    checks:\n      - unit\n"],
  ["entry_points:\n- path: a\n  checks: [b]\n", "- path: packages/*\n  checks:\n    - unit\n"],
])("adds an entry point to %j", (before, text) => {
  expect(addChecks(before, [UNIT], new Date(0))).toBe(before + text);
});

test.each([
  "checks: { test: a }\n",
  "checks:\n",
  "checks: [",
  "checks: &a\n  b: c\nx: *a\nchecks: 1\n",
  "",
])("does not change a text of another form: %j", (text) => {
  expect(addChecks(text, [LINT], new Date(0))).toBeUndefined();
});
