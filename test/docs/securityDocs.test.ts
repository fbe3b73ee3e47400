/** docs/security.md names tests that exist, and rules that the reference has. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/security.md"), "utf8");

const named = [
  ...new Set(
    [...page.matchAll(/`((?:test|bench|fixtures)\/[\w./-]+)`/g)].map(([, path = ""]) => path)
  ),
];

test("names at least one test in each row of the first table", () => {
  const table = page.slice(page.indexOf("| who"), page.indexOf("An SSH host can read"));
  const rows = table.trim().split("\n").slice(2);
  expect(rows.length).toBeGreaterThan(30);
  expect(rows.filter((row) => !/`test\/[^`]+` *\|$/.test(row))).toEqual([]);
});

test.each(named)("%s exists", (path) => {
  expect(existsSync(join(root, path))).toBe(true);
});

test("names each make target that the Makefile has", () => {
  const makefile = readFileSync(join(root, "Makefile"), "utf8");
  for (const [, target = ""] of page.matchAll(/`make ([\w-]+)`/g)) {
    expect(makefile).toContain(`\n${target}:`);
  }
});
