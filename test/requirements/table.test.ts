/** Checks that README.md in this folder covers every requirement, and that its rows are accurate. */
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const SCENARIOS = 56;
/** First of the two sections on decisions and on the design of the command. */
const DESIGN = "Decisions";
const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

interface Row {
  readonly section: string;
  readonly title: string;
  readonly file?: string;
  /** Title of the test, if it differs from the row's title. */
  readonly testTitle?: string;
  readonly since: string;
}

const rows = readRows();

function readRows(): Row[] {
  let section = "";
  return readFileSync(here("README.md"), "utf8")
    .split("\n")
    .flatMap((line) => {
      section = /^## (.*)$/.exec(line)?.[1] ?? section;
      const [, title, where = "", since = ""] =
        /^\| (.+?) +\| (.*?) *\| (.*?) *\|$/.exec(line) ?? [];
      if (title === undefined || /^(scenario|decision|design)$/.test(title)) return [];
      const [, file, testTitle] = /^\[[^\]]*\]\(([^)]*)\)(?:: (.+))?$/.exec(where) ?? [];
      return [
        {
          section,
          title,
          since,
          ...(file === undefined ? {} : { file }),
          ...(testTitle === undefined ? {} : { testTitle }),
        },
      ];
    })
    .filter(({ title }) => !/^-+$/.test(title));
}

const keyOf = (section: string, title: string): string => `${section} › ${title}`;

/** Returns `section › title` of every test of a file in this folder. */
function testsIn(file: string): string[] {
  let section = "";
  const text = readFileSync(here(file), "utf8");
  return [...text.matchAll(/^(describe| {2}test)\((["'])(.*?)\2/gm)].flatMap(
    ([, kind, , title = ""]) => {
      if (kind !== "describe") return [keyOf(section, title)];
      section = title;
      return [];
    }
  );
}

const ownFiles = readdirSync(here(".")).filter(
  (name) => name.endsWith(".test.ts") && name !== "table.test.ts"
);

test("every scenario has one row", () => {
  const design = rows.findIndex(({ section }) => section === DESIGN);
  const keys = rows.map(({ section, title }) => keyOf(section, title));
  expect(design).toBe(SCENARIOS);
  expect(keys.filter((key, i) => keys.indexOf(key) !== i)).toEqual([]);
});

test("a row names a test, or the rule that replaced it", () => {
  const silent = rows.filter(({ file, since }) => file === undefined && since.length < 30);
  expect(silent).toEqual([]);
  const withoutRule = rows.filter(({ since }) => since !== "" && !/\bG\d+a?\b/.test(since));
  expect(withoutRule).toEqual([]);
});

test("every test that a row names exists", () => {
  const untrue = rows.filter(({ section, title, file, testTitle }) => {
    if (file === undefined) return false;
    if (!existsSync(here(file))) return true;
    return testTitle === undefined
      ? !testsIn(file).includes(keyOf(section, title))
      : !readFileSync(here(file), "utf8").includes(testTitle);
  });
  expect(untrue).toEqual([]);
});

test("every test has a row that names it", () => {
  const strays = ownFiles.flatMap((file) => {
    const named = rows
      .filter((row) => row.file === file && row.testTitle === undefined)
      .map(({ section, title }) => keyOf(section, title));
    return testsIn(file).filter((key) => !named.includes(key));
  });
  expect(strays).toEqual([]);
});
