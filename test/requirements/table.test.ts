/** Writes README.md of this folder from the titles of the tests and from `rows.ts`, if vitest runs with `-u`. */
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { markdownTable } from "@test/helpers/docs/table";
import { NAMED_TESTS, SECTIONS, type Row } from "@test/requirements/rows";

const REQUIREMENTS = 88;
const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** The file of every test in this folder, by section and title. */
const own = new Map<string, Map<string, string>>();
for (const file of readdirSync(here(".")).filter((name) => name.endsWith(".test.ts"))) {
  if (file === "table.test.ts") continue;
  let titles = new Map<string, string>();
  const text = readFileSync(here(file), "utf8");
  for (const [, kind, , name = ""] of text.matchAll(/^(describe| {2}test)\((["'])(.*?)\2/gm)) {
    if (kind !== "describe") titles.set(name, file);
    else own.set(name, (titles = own.get(name) ?? new Map<string, string>()));
  }
}

const sections = Object.entries(SECTIONS).map(([section, rows]) => {
  const tests = own.get(section) ?? new Map<string, string>();
  const titles = new Set([...tests.keys(), ...Object.keys(rows)]);
  const described = [...titles].map((title) => ({
    title,
    row: rows[title] ?? {},
    file: tests.get(title),
  }));
  return { section, rows: described };
});

function render(): string {
  const all = sections.flatMap(({ rows }) => rows.map(({ row }) => stateOf(row)));
  const count = (state: string) => all.filter((text) => text.startsWith(state)).length;
  return (
    [
      "# Requirements",
      `This page lists the ${all.length} requirements with the test of each. ${count("works")} work as they are written, ${count("differs")} differ, and\n${count("not built")} are not built. \`table.test.ts\` writes the page from the titles of the tests and from \`rows.ts\`, which has the\nreasons: \`npx vitest run test/requirements/table.test.ts -u\`.`,
      ...sections.flatMap(({ section, rows }) => [
        `## ${section}`,
        markdownTable([
          ["requirement", "test", "state"],
          ...rows.map(({ title, row, file }) => [title, linkTo(row, file), stateOf(row)]),
        ]),
      ]),
      "",
    ]
      .join("\n\n")
      .trimEnd() + "\n"
  );
}

function linkTo({ test: elsewhere }: Row, own: string | undefined): string {
  const [file = own, title] = elsewhere ?? [];
  if (file === undefined) return "";
  const name = file.replace(/^.*\//, "").replace(".test.ts", "");
  return `[${name}](${file})${title === undefined ? "" : `: ${title}`}`;
}

function stateOf({ differs, notBuilt }: Row): string {
  if (notBuilt !== undefined) return `not built: ${notBuilt}`;
  return differs === undefined ? "works" : `differs: ${differs}`;
}

test("README.md has every requirement with its test and its state", async () => {
  expect(sections.flatMap(({ rows }) => rows)).toHaveLength(REQUIREMENTS);
  await expect(render()).toMatchFileSnapshot(here("README.md"));
});

test("every test of this folder is a row, and every row has a test or is not built", () => {
  expect([...own.keys()].filter((section) => SECTIONS[section] === undefined)).toEqual([]);
  const without = sections.flatMap(({ rows }) =>
    rows.filter(({ row, file }) => !file && !row.test && !row.notBuilt)
  );
  expect(without).toEqual([]);
});

test("a difference names its rule", () => {
  const texts = sections.flatMap(({ rows }) => rows.map(({ row }) => stateOf(row)));
  expect(texts.filter((text) => text !== "works" && !/\b[GH]\d+a?\b/.test(text))).toEqual([]);
});

test("every test outside of this folder exists under its title", () => {
  const named = sections.flatMap(({ rows }) =>
    rows.flatMap(({ row }) => (row.test ? [row.test] : []))
  );
  const listed = Object.entries(NAMED_TESTS).flatMap(([file, titles]) =>
    titles.map((title) => [file, title] as const)
  );
  const missing = [...named, ...listed].filter(
    ([file, title]) => !existsSync(here(file)) || !readFileSync(here(file), "utf8").includes(title)
  );
  expect(missing).toEqual([]);
});
