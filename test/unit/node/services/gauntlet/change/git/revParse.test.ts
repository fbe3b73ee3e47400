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
import { tempDir } from "@test/helpers/tempDir";

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
  test("a branch with its base", async () => {
    const { project, base, head, tree } = await workProject();
    expect(await read(project)).toStrictEqual({
      root: project.dir,
      prefix: "",
      gitDir: project.at(".git"),
      commonDir: project.at(".git"),
      emptyTree: project.git("hash-object", "-t", "tree", "/dev/null"),
      isShallow: false,
      keptSnapshots: [],
      baseRefs: ["refs/heads/main"],
      head: { commit: head, tree, branch: "feature/x" },
      mergeBases: [base],
    });
  });

  test("a project in a folder of its repository", async () => {
    const { project } = await workProject();
    const info = await read(project, { folder: "packages/app" });
    expect(info).toMatchObject({ root: project.dir, prefix: "packages/app/" });
  });

  test("a linked worktree, with its own folder in the repository's git folder", async () => {
    const { project, head } = await workProject();
    const linked = new GitProject(join(await tempDir(), "linked"));
    project.git("worktree", "add", "--quiet", "--detach", linked.dir);
    expect(await read(linked)).toMatchObject({
      root: linked.dir,
      gitDir: project.at(".git/worktrees/linked"),
      commonDir: project.at(".git"),
      head: { commit: head, branch: "HEAD" },
    });
  });

  test("a missing base, which omits only the merge base", async () => {
    const { project, head } = await workProject();
    const info = await read(project, { baseBranch: "origin/main" });
    expect(info).toMatchObject({ baseRefs: [], head: { commit: head } });
    expect(info).not.toHaveProperty("mergeBases");
  });

  test("a base without a common commit", async () => {
    const { project } = await workProject();
    project.git("switch", "--quiet", "--orphan", "other");
    project.commit("unrelated");
    expect(await read(project)).toMatchObject({ baseRefs: ["refs/heads/main"], mergeBases: [] });
  });

  test("a base that is a commit and not a branch", async () => {
    const { project, base } = await workProject();
    const info = await read(project, { baseBranch: "HEAD~1" });
    expect(info).toMatchObject({ baseRefs: [], mergeBases: [base] });
  });

  test("all meanings of a base's name, branches first (G20c)", async () => {
    const { project, base } = await workProject();
    project.git("tag", "main", base);
    project.git("update-ref", "refs/remotes/main", base);
    expect((await read(project)).baseRefs).toEqual([
      "refs/remotes/main",
      "refs/heads/main",
      "refs/tags/main",
    ]);
  });

  test("a repository without a commit", async () => {
    const info = await read(await GitProject.create({}));
    expect(info).toMatchObject({ baseRefs: [], keptSnapshots: [] });
    expect(info).not.toHaveProperty("head");
    expect(info).not.toHaveProperty("mergeBases");
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

  test("a shallow clone", async () => {
    const { project } = await workProject();
    const shallow = new GitProject(join(await tempDir(), "clone"));
    project.git("clone", "--quiet", "--depth=1", `file://${project.dir}`, shallow.dir);
    expect((await read(shallow)).isShallow).toBe(true);
  });

  test("a repository of SHA-256, by its empty tree", async () => {
    const project = new GitProject(await tempDir());
    project.git("init", "--quiet", "--initial-branch=main", "--object-format=sha256");
    const emptyTree = project.git("hash-object", "-t", "tree", "/dev/null");
    expect(await read(project)).toMatchObject({ emptyTree });
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
