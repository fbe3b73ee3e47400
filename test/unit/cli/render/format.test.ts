import { expect, test } from "vitest";
import { alignColumns, formatDuration, indent, shortPath } from "@/cli/render/format";

test("durations are told in the unit that fits", () => {
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

test("columns are as wide as their widest cell", () => {
  expect(
    alignColumns([
      ["a", "bb", "c"],
      ["aaa", "b", ""],
    ])
  ).toEqual(["a    bb  c", "aaa  b"]);
});

test("a CJK character and an emoji take two columns", () => {
  expect(
    alignColumns([
      ["検査", "x"],
      ["👍", "x"],
      ["éclair", "x"],
    ])
  ).toEqual(["検査    x", "👍      x", "éclair  x"]);
});

test("an invisible character takes the columns of its escape", () => {
  expect(
    alignColumns([
      ["a\u200db", "x"],
      ["12345678", "x"],
    ])
  ).toEqual(["a\u200db  x", "12345678  x"]);
});

test("empty lines are not indented", () => {
  expect(indent("a\n\nb", "  ")).toBe("  a\n\n  b");
});

test("a path is told from the project or from home, where it lies in one", () => {
  const short = (path: string) => shortPath(path, "/home/me/p", "/home/me");
  expect(short("/home/me/p/.mux/settings.json")).toBe(".mux/settings.json");
  expect(short("/home/me/.mux/settings.json")).toBe("~/.mux/settings.json");
  expect(short("/home/me/p2/x")).toBe("~/p2/x");
  expect(short("/etc/x")).toBe("/etc/x");
  expect(short("/home/me/p/..x")).toBe("..x");
});
