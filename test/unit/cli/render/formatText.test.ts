import { expect, test } from "vitest";
import * as format from "@/cli/render/formatText";

test.each([
  ["to their widest cell", ["a|bb|c", "aaa|b|"], ["a    bb  c", "aaa  b"]],
  [
    "with two columns for a CJK character and for an emoji",
    ["検査|x", "👍|x", "éclair|x"],
    ["検査    x", "👍      x", "éclair  x"],
  ],
  [
    "with the columns of the escape for an invisible character",
    ["a\u200db|x", "12345678|x"],
    ["a\u200db  x", "12345678  x"],
  ],
])("pads columns %s", (_, rows, padded) => {
  expect(format.alignColumns(rows.map((row) => row.split("|")))).toEqual(padded);
});

test("does not indent empty lines", () => {
  expect(format.indent("a\n\nb", "  ")).toBe("  a\n\n  b");
});

test("shortens a path relative to the project or the home folder", () => {
  const short = (path: string) => format.shortPath(path, "/home/me/p", "/home/me");
  expect(short("/home/me/p/.mux/settings.json")).toBe(".mux/settings.json");
  expect(short("/home/me/.mux/settings.json")).toBe("~/.mux/settings.json");
  expect(short("/home/me/p2/x")).toBe("~/p2/x");
  expect(short("/etc/x")).toBe("/etc/x");
  expect(short("/home/me/p/..x")).toBe("..x");
});

test("makes paths in the project relative, and leaves those that only end with its path", () => {
  const short = (text: string) => format.withinProject(text, "/app");
  expect(short("/app/a.js: see (/app/b.js) and '/app/c.js'")).toBe("a.js: see (b.js) and 'c.js'");
  expect(short("/srv/app/a.js, ./app/b.js, //app/c.js")).toBe(
    "/srv/app/a.js, ./app/b.js, //app/c.js"
  );
});

test("shows the current folder as a dot, and folders outside by their whole path", () => {
  const place = { cwd: "/app/x", home: "/home/me" };
  const shown = ["/app/x", "/app/x/y", "/app/z"].map((path) => format.pathForUser(path, place));
  expect(shown).toEqual([".", "y", "/app/z"]);
});
