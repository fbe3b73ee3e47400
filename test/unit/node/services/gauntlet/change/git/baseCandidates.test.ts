import { describe, expect, test } from "vitest";
import { isCi } from "@/common/isCi";
import { baseCandidates } from "@/node/services/gauntlet/change/git/baseCandidates";

describe("baseCandidates", () => {
  const FALL_BACKS = ["origin/HEAD", "main", "master"];
  const pull = { CI: "true", GITHUB_BASE_REF: "release" };

  test.each<[string, string, Record<string, string>, string[], string[]]>([
    ["a local branch", "main", {}, ["main"], ["origin/HEAD", "master"]],
    ["a branch of origin", "origin/main", {}, ["origin/main"], FALL_BACKS],
    ["a branch of a remote", "up/dev", {}, ["up/dev"], ["up/HEAD", ...FALL_BACKS]],
    ["an empty name", "", {}, [], FALL_BACKS],
    ["a pull request", "dev", pull, ["origin/release", "release"], ["dev", ...FALL_BACKS]],
    ["a push in CI", "dev", { CI: "true", GITHUB_BASE_REF: "" }, ["dev"], FALL_BACKS],
    ["a pull request's base outside CI", "dev", { GITHUB_BASE_REF: "x" }, ["dev"], FALL_BACKS],
  ])("returns for %s the wanted names first, then the fallbacks (G7, G7a)", (...row) => {
    const [, baseBranch, env, wanted, others] = row;
    const candidates = baseCandidates({ baseBranch, env });
    expect(candidates.map(({ name }) => name)).toEqual([...wanted, ...others]);
    expect(candidates.filter((one) => one.wanted).map(({ name }) => name)).toEqual(wanted);
  });

  test("prefers a remote's branch to a local one (G20c)", () => {
    const [{ refs }] = baseCandidates({ baseBranch: "origin/a-b.c", env: {} });
    expect(refs).toEqual(["refs/remotes/origin/a-b.c", "refs/heads/origin/a-b.c"]);
  });

  test.each(["HEAD~1", "main^", "a..b", "a:b", "x*", "v?", "[x]", "a b", "a\\b", "a\u007f"])(
    "%j is a revision and not a branch, so git does not treat it as a pattern (G9a)",
    (baseBranch) => {
      expect(baseCandidates({ baseBranch, env: {} })[0]).toEqual({
        ...{ name: baseBranch, refs: [], wanted: true },
      });
    }
  );
});

test.each<[Record<string, string>, boolean]>([
  [{}, false],
  [{ CI: "" }, false],
  [{ CI: "false" }, false],
  [{ CI: "FALSE" }, false],
  [{ CI: "true" }, true],
  [{ CI: "0" }, true],
  [{ CI: "falsehood" }, true],
  [{ GITHUB_ACTIONS: "true" }, true],
  [{ CI: "false", GITHUB_ACTIONS: "true" }, true],
])("isCi of %j is %s (G7a)", (env, is) => {
  expect(isCi(env)).toBe(is);
});
