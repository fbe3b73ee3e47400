import { describe, expect, test } from "vitest";
import type { CheckDefinition } from "@/node/services/gauntlet/domain/gate";
import { outputMatcher, outputRules } from "@/node/services/gauntlet/domain/outputRules";
import { definitionOf } from "@/node/services/gauntlet/domain/candidateJobs";
import { checkGate } from "@test/helpers/gauntlet/runParts";

function withReport(glob: string, more: Partial<CheckDefinition> = {}): CheckDefinition {
  return checkGate("test", { findings: [{ kind: "report", format: "junit", glob }], ...more });
}

/** Returns the globs of git for a report setting of a check in a folder. */
function patternsOf(glob: string, path = ".", more: Partial<CheckDefinition> = {}): string[] {
  const rules = outputRules([{ path, exclude: [], gates: [withReport(glob, more)] }]);
  return rules.flatMap(({ patterns }) => patterns);
}

describe("the rules of report settings (G20c)", () => {
  test.each([
    ["reports/*.xml", ["[r]eports/*.xml"]],
    ["./reports/./*.xml", ["[r]eports/*.xml"]],
    ["*.xml", ["*.xml"]],
    ["**/x.xml", ["**/x.xml"]],
    [".nyc/x.xml", ["[.]nyc/x.xml"]],
    [
      "{a,b}/{c,{d,e}}.xml",
      ["[a]/c.xml", "[a]/d.xml", "[a]/e.xml", "[b]/c.xml", "[b]/d.xml", "[b]/e.xml"],
    ],
  ])("are globs that git knows: %s", (glob, expected) => {
    expect([...new Set(patternsOf(glob))].sort()).toEqual([...expected].sort());
  });

  test.each([
    "a(b|c).xml",
    "!(a).xml",
    "a\\*.xml",
    "{1..3}.xml",
    "{a}.xml",
    "{a",
    "reports/",
    "é/x.xml",
    "x".repeat(2_000),
    `${"{a,b}".repeat(20)}.xml`,
    "{".repeat(900),
  ])("do not exist for a glob that git does not know: %s", (glob) => {
    expect(patternsOf(glob)).toEqual([]);
  });

  test.each([
    ["src", {}, ["[s]rc/x.xml"]],
    ["packages/*", {}, ["[p]ackages/*/x.xml"]],
    ["src/**/*.ts", {}, ["[s]rc/x.xml"]],
    ["package.json", {}, ["[p]ackage.json/x.xml", "[x].xml"]],
    ["packages/*", { workingDirectory: "web" }, ["[w]eb/x.xml"]],
  ])("are relative to the folder of the check, for the entry point %s", (path, more, expected) => {
    expect(patternsOf("x.xml", path, more)).toEqual(expected);
  });

  test("match no more than 500 files and settings", () => {
    const gates = Array.from({ length: 600 }, (_, i) => withReport(`${i}.xml`));
    expect(outputRules([{ path: ".", exclude: [], gates }])).toHaveLength(500);
  });
});

describe("the rules of files that a check wrote (G20c)", () => {
  const gate = checkGate("test");
  const entryPoints = [{ path: "src", exclude: [], gates: [gate] }];
  const own = ["check:src:test", definitionOf(gate)] as const;
  const rulesFor = (id: string, definition: string, paths: readonly string[]) =>
    outputRules(entryPoints, { [id]: { definition, paths } });

  test("match exactly these files, and escape what git takes for a glob", () => {
    const matches = outputMatcher(rulesFor(...own, ["a[1]*.txt"]));
    expect(["a[1]*.txt", "a1.txt", "a[1]*.txt/b"].map(matches)).toEqual([true, false, false]);
    const [rule] = rulesFor(...own, ["a[1]*?\\.txt"]);
    expect(rule?.patterns).toEqual([String.raw`[a]\[1\]\*\?\\.txt`]);
  });

  test("need the check and its definition, and paths that can be files of the project", () => {
    expect(rulesFor("check:src:test", "another", ["a.txt"])).toEqual([]);
    expect(rulesFor("check:src:lint", definitionOf(gate), ["a.txt"])).toEqual([]);
    expect(rulesFor(...own, ["../../x", "/etc", "", "a/../..", "."])).toEqual([]);
  });
});
