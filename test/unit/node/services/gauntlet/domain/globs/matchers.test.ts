import { checkGate } from "@test/helpers/gauntlet/runParts";
import { matcherOf } from "@/node/services/gauntlet/domain/relevantFiles";
import { describe, expect, test } from "vitest";
import * as matchers from "@/node/services/gauntlet/domain/globs/matchers";

const FILES = (
  "a.js a.gen.js docs/api.md docs/deep/b.md pkg/a.js pkg/docs/c.md pkg/vendor/d.js " +
  "pkg/src/a.gen.js vendor/e.js .github/f.js a..b/g.txt"
).split(" ");

function taken(
  globs: string[],
  { folder = ".", field = "files" }: { folder?: string; field?: matchers.GlobField } = {}
): string[] {
  return FILES.filter(matchers.newMatcher({ field, globs, folder }));
}

describe("a list of globs (G4a)", () => {
  test.each<[string, string[], string[]]>([
    ["a name, at any depth", ["vendor"], ["pkg/vendor/d.js", "vendor/e.js"]],
    ["a name with a slash at its end, the same", ["vendor/"], ["pkg/vendor/d.js", "vendor/e.js"]],
    ["a pattern without a slash, at any depth", ["*.gen.js"], ["a.gen.js", "pkg/src/a.gen.js"]],
    ["a leading slash, from the root only", ["/vendor"], ["vendor/e.js"]],
    ["./, the same", ["./vendor"], ["vendor/e.js"]],
    ["a slash inside, from the root only", ["docs/*.md"], ["docs/api.md"]],
    ["a path of a folder, with its files", ["pkg/docs"], ["pkg/docs/c.md"]],
    ["a folder whose name has two dots", ["a..b"], ["a..b/g.txt"]],
    ["everything", ["."], FILES],
    ["dotfiles", [".github/**"], [".github/f.js"]],
    ["! takes away again", ["docs/**", "!docs/api.md"], ["docs/deep/b.md"]],
    ["of several, the last counts", ["docs/**", "!docs", "docs/api.md"], ["docs/api.md"]],
    ["! at the beginning changes nothing", ["!docs/api.md", "docs/*.md"], ["docs/api.md"]],
    ["only !, from everything", ["!*.js", "!*.md"], ["a..b/g.txt"]],
    ["!(…) is a pattern", ["/!(a.gen).js"], ["a.js"]],
    ["no glob, nothing", [], []],
  ])("matches %s", (_, globs, expected) => {
    expect(taken(globs)).toEqual(expected);
  });

  test("is relative to its folder or to the project", () => {
    const folder = "pkg";
    const files = ["pkg/vendor/d.js", "vendor/e.js"];
    expect(taken(["/vendor"], { folder })).toEqual(files);
    expect(taken(["/pkg/vendor", "src/*.js"], { folder })).toEqual([
      "pkg/vendor/d.js",
      "pkg/src/a.gen.js",
    ]);
    expect(taken(["../docs"], { folder })).toEqual(["docs/api.md", "docs/deep/b.md"]);
  });

  test("takes nothing away if it has no pattern without !", () => {
    expect(taken(["!docs/api.md"], { field: "exclude" })).toEqual([]);
    expect(taken(["!docs/api.md"], { field: "global_dependencies" })).toEqual([]);
  });
});

describe("a list that held a stop under its old meaning (G4a)", () => {
  const both = (field: matchers.GlobField, globs: string[]) =>
    FILES.filter(matchers.globMatcher({ field, globs, folder: ".", readsOld: true }));

  test("excludes what both meanings exclude", () => {
    expect(both("exclude", ["vendor", "/docs", "docs/*.md"])).toEqual(["docs/api.md"]);
    expect(both("exclude", ["docs/**", "!docs/api.md"])).toEqual(["docs/deep/b.md"]);
  });

  test.each<matchers.GlobField>(["files", "when", "inputs", "global_dependencies"])(
    "has in %s what either meaning has",
    (field) => {
      expect(both(field, ["*.gen.js"])).toEqual(["a.gen.js", "pkg/src/a.gen.js"]);
      expect(both(field, ["**/*.js", "!**/*.gen.js"])).toEqual(FILES);
    }
  );

  test("differs only if its text may", () => {
    const single =
      "*.js vendor vendor/ /a.js docs/** docs/api.md pkg/docs pkg/docs/ ./docs . ** ../docs";
    const lists = [...single.split(" ").map((glob) => [glob]), ["**/*.js", "!a.js"]];
    for (const field of ["exclude", "files", "inputs", "global_dependencies"] as const) {
      for (const folder of field === "global_dependencies" ? ["."] : [".", "pkg"]) {
        for (const globs of lists.filter((list) => !matchers.mayDiffer({ field, globs: list }))) {
          const list = { field, globs, folder };
          const where = `${field} ${globs.join(" ")} in ${folder}`;
          expect([where, FILES.filter(matchers.newMatcher(list))]).toEqual([
            where,
            FILES.filter(matchers.oldMatcher(list)),
          ]);
        }
      }
    }
  });

  test.each([
    ["*.js", "/*.js"],
    ["vendor/", "/vendor/"],
    ["src/gen", "/src/gen"],
    ["/a", "/a"],
    ["!*.js", "!**/*.js"],
    ["!**/*.js", "!*.js"],
    ["!a/b", "!/a/b"],
    ["!/a", "!./a"],
    ["!**/a/b", "!/**/a/b"],
  ])("is written anew as another text: %s", (text, anew) => {
    expect(matchers.rewritten(text)).toBe(anew);
  });
});

test("globs of inputs are relative to the folder of a check, and those of files to its entry point (G21, G32)", () => {
  const gate = checkGate("t", { workingDirectory: "web", files: ["a/*"], inputs: ["a/*"] });
  const matched = (field: "files" | "inputs"): string[] =>
    ["src/a/x", "web/a/x"].filter(matcherOf({ entryPoint: "src", gate }, field) ?? (() => false));
  expect(matched("files")).toEqual(["src/a/x"]);
  expect(matched("inputs")).toEqual(["web/a/x"]);
});
