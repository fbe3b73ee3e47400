import { expect, test } from "vitest";
import { alignColumns, indent, shortPath } from "@/cli/render/format";

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
