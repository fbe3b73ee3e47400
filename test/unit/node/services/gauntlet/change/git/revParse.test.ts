import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { baseCandidates } from "@/node/services/gauntlet/change/git/baseBranch";
import { SNAPSHOT_REFS, START_REF } from "@/node/services/gauntlet/change/git/GitContext";
import { execGit, type GitOutput } from "@/node/services/gauntlet/change/git/runGit";
import {
  mergeBaseArg,
  onlyThis,
  parseRevParse,
  readMergeBases,
  revParseArgs,
  type RepositoryInfo,
} from "@/node/services/gauntlet/change/git/revParse";
import { GitProject } from "@test/helpers/gitProject";

/** Reads a repository as `openRepository` does. */
async function read(
  { dir, runtime }: GitProject,
  { baseBranch = "main", folder = "" } = {}
): Promise<RepositoryInfo> {
  const [base] = baseCandidates({ baseBranch, env: {} });
  const call = { cwd: join(dir, folder), args: revParseArgs(base) };
  const output = (await execGit(runtime, call))._unsafeUnwrap();
  const info = parseRevParse(output, base);
  if (info === undefined) throw new Error(output.stderr);
  return info;
}

async function workProject() {
  const project = await GitProject.create({ "packages/app/a.ts": "1" });
  const base = project.git("rev-parse", "HEAD");
  project.git("switch", "--quiet", "--create", "feature/x");
  const head = project.commit("work", { "b.ts": "1" });
  const tree = project.git("rev-parse", "HEAD^{tree}");
  return { project, base, head, tree };
}

describe("one git rev-parse reads (G8)", () => {
  test("a base without a common commit", async () => {
    const { project } = await workProject();
    project.git("switch", "--quiet", "--orphan", "other");
    project.commit("unrelated");
    expect(await read(project)).toMatchObject({ baseRefs: ["refs/heads/main"], mergeBases: [] });
  });

  test("snapshots and the starting commit by their refs (G9a, G20b)", async () => {
    const { project, base, tree } = await workProject();
    const other = project.git("rev-parse", `${base}^{tree}`);
    for (const id of [tree, other]) project.git("update-ref", `${SNAPSHOT_REFS}/${id}`, id);
    project.git("update-ref", START_REF, base);
    const { keptSnapshots, start } = await read(project);
    expect(keptSnapshots.toSorted()).toEqual([tree, other].toSorted());
    expect(start).toBe(base);
  });
});

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
    expect(parseRevParse(complete, base)).toMatchObject({ root: "/r", isShallow: false });
  });

  test.each<[string, GitOutput]>([
    ["an empty output", output()],
    ["an output that ends after the folders", output(...place)],
    ["an unknown object format", output(...place, "md5", "false", ...separators)],
    ["a missing separator", output(...place, "sha1", "false", ...separators.slice(1))],
    ["a bare repository", output(...place, "sha1", "false", ...separators.map(() => "true"))],
  ])("returns undefined for %s", (_, printed) => {
    expect(parseRevParse(printed, base)).toBeUndefined();
  });
});

test("arguments for a ref are patterns that match only that ref", () => {
  expect(onlyThis("refs/heads/main")).toBe("--glob=refs/[h]eads/main");
  expect(mergeBaseArg("main")).toBe("HEAD...main");
});

test.each<[string[], string[]]>([
  [
    ["aaa", "bbb", "^ccc", "^ddd", ""],
    ["ccc", "ddd"],
  ],
  [["aaa", "bbb"], []],
  [[], []],
])("the merge bases of %j are %j", (lines, bases) => {
  expect(readMergeBases(lines)).toEqual(bases);
});
