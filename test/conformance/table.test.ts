/** Checks that README.md in this folder covers every case, and that its rows are accurate. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const CASES = 158;
const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

interface Row {
  readonly number: number;
  readonly file?: string | undefined;
  readonly leftOut?: string | undefined;
}

const rows: Row[] = readFileSync(here("README.md"), "utf8")
  .split("\n")
  .flatMap((line) => {
    const [, number, where = ""] = /^\| +(\d+) +\| .*? +\| (.*?) +\|$/.exec(line) ?? [];
    if (number === undefined) return [];
    const file = /^\[.*\]\((.*)\)$/.exec(where)?.[1];
    const leftOut = /^left out: (.*)$/.exec(where)?.[1];
    return [{ number: Number(number), file, leftOut }];
  });

/** Returns the numbers of the cases that a file tests: titles begin with `case 12: ` or `case 12, 13: `. */
function casesIn(file: string): Set<number> {
  const titles = readFileSync(here(file), "utf8").matchAll(/["'`]case ([\d, ]+): /g);
  return new Set([...titles].flatMap(([, numbers = ""]) => numbers.split(", ").map(Number)));
}

test("every case from 1 to 158 has one row, in order, with its file or the reason why it is left out", () => {
  expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: CASES }, (_, i) => i + 1));
  const silent = rows.filter(({ file, leftOut = "" }) => file === undefined && leftOut.length < 20);
  expect(silent).toEqual([]);
});

test("the file of a row has a test for it", () => {
  const untested = rows.filter(({ number, file }) => file && !casesIn(file).has(number));
  expect(untested).toEqual([]);
});

test("every tested case has a row that names its file", () => {
  const files = readdirSync(here(".")).filter((name) => /^[a-j]-.*\.test\.ts$/.test(name));
  const strays = files.flatMap((file) =>
    [...casesIn(file)]
      .filter((number) => rows[number - 1]?.file !== file)
      .map((number) => `case ${number} in ${file}`)
  );
  expect(strays).toEqual([]);
});
