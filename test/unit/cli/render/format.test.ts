import { expect, test } from "vitest";
import { alignColumns, formatDuration, indent, shortPath } from "@/cli/render/format";

test("formats durations in the unit that fits", () => {
  expect(
    [0, 31.4, 999.4, 999.5, 4_240, 59_949, 60_000, 125_000, 600_000].map(formatDuration)
  ).toEqual([
    "0 ms",
    "31 ms",
    "999 ms",
    "1.0 s",
    "4.2 s",
    "59.9 s",
    "1 min",
    "2 min 5 s",
    "10 min",
  ]);
});

test("pads columns to their widest cell", () => {
  expect(
    alignColumns([
      ["a", "bb", "c"],
      ["aaa", "b", ""],
    ])
  ).toEqual(["a    bb  c", "aaa  b"]);
});

test("counts two columns for a CJK character and for an emoji", () => {
  expect(
    alignColumns([
      ["検査", "x"],
      ["👍", "x"],
      ["éclair", "x"],
    ])
  ).toEqual(["検査    x", "👍      x", "éclair  x"]);
});

test("counts the columns of the escape for an invisible character", () => {
  expect(
    alignColumns([
      ["a\u200db", "x"],
      ["12345678", "x"],
    ])
  ).toEqual(["a\u200db  x", "12345678  x"]);
});

test("does not indent empty lines", () => {
  expect(indent("a\n\nb", "  ")).toBe("  a\n\n  b");
});

test("shortens a path relative to the project or the home folder", () => {
  const short = (path: string) => shortPath(path, "/home/me/p", "/home/me");
  expect(short("/home/me/p/.mux/settings.json")).toBe(".mux/settings.json");
  expect(short("/home/me/.mux/settings.json")).toBe("~/.mux/settings.json");
  expect(short("/home/me/p2/x")).toBe("~/p2/x");
  expect(short("/etc/x")).toBe("/etc/x");
  expect(short("/home/me/p/..x")).toBe("..x");
});
