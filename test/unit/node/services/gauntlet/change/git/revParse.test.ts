import { describe, expect, test } from "vitest";
import { baseCandidates } from "@/node/services/gauntlet/change/git/baseCandidates";
import type { GitOutput } from "@/node/services/gauntlet/change/git/runGit";
import * as revParse from "@/node/services/gauntlet/change/git/revParse";

describe("parseRevParse", () => {
  const [base] = baseCandidates({ baseBranch: "main", env: {} });
  const place = ["/r", "", "/r/.git", "/r/.git"];
  const separators = ["false", "false", "false", "false"];
  const output = (...lines: string[]): GitOutput => {
    const stdout = lines.map((line) => `${line}\n`).join("");
    return { code: 128, stdout, isCut: false, stderr: "" };
  };

  test("returns the repository for a complete output", () => {
    const complete = output(...place, "sha1", "false", ...separators);
    expect(revParse.parseRevParse(complete, base)).toMatchObject({ root: "/r", isShallow: false });
  });

  test.each<[string, GitOutput]>([
    ["an empty output", output()],
    ["an output that ends after the folders", output(...place)],
    ["an unknown object format", output(...place, "md5", "false", ...separators)],
    ["a missing separator", output(...place, "sha1", "false", ...separators.slice(1))],
    ["a bare repository", output(...place, "sha1", "false", ...separators.map(() => "true"))],
  ])("returns undefined for %s", (_, printed) => {
    expect(revParse.parseRevParse(printed, base)).toBeUndefined();
  });
});

test("arguments for a ref are patterns that match only that ref", () => {
  expect(revParse.onlyThis("refs/heads/main")).toBe("--glob=refs/[h]eads/main");
  expect(revParse.mergeBaseArg("main")).toBe("HEAD...main");
});

test.each<[string[], string[]]>([
  [
    ["aaa", "bbb", "^ccc", "^ddd", ""],
    ["ccc", "ddd"],
  ],
  [["aaa", "bbb"], []],
  [[], []],
])("the merge bases of %j are %j", (lines, bases) => {
  expect(revParse.readMergeBases(lines)).toEqual(bases);
});
