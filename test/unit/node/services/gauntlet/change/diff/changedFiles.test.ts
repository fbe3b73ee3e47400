import { join } from "node:path";
import { expect, test } from "vitest";
import { changedFiles, changedPaths } from "@/node/services/gauntlet/change/diff/changedFiles";
import { openMain } from "@test/helpers/gauntlet/runParts";
import { countGit, gitEnv, GitProject, writeExecutable } from "@test/helpers/gitProject";
import { createTestRuntime } from "@test/helpers/remote/testRuntime";
import { tempDir } from "@test/helpers/tempDir";

const FILES = { "a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n" };

test("changedFiles reads an edited file, and a submodule as a repository (G8)", async () => {
  const project = await GitProject.create(FILES);
  const from = project.git("rev-parse", "HEAD");
  project.git("update-index", "--add", "--cacheinfo", `160000,${from},lib/module`);
  project.write({ "a.txt": "changed\n" });
  project.git("add", "a.txt");
  project.git("commit", "--quiet", "--message=change");
  const context = await openMain(project);
  const changed = await changedFiles(project.runtime, context, from, context.head!);
  expect(changed._unsafeUnwrap()).toEqual([
    { path: "a.txt", status: "modified" },
    { path: "lib/module", status: "added", isRepository: true },
  ]);
});

test("changedFiles starts no git for equal trees, even if one of them is given as HEAD", async () => {
  const project = await GitProject.create(FILES);
  const context = await openMain(project);
  const { runtime, calls } = await countGit();
  for (const to of [context.head!, context.headTree!]) {
    expect((await changedFiles(runtime, context, context.head!, to))._unsafeUnwrap()).toEqual([]);
  }
  expect(calls()).toEqual([]);
});

test.each([
  ["not an entry", "oops\\0a.txt\\0"],
  ["not an entry after a valid one", ":100644 100644 1 2 M\\0a.txt\\0oops\\0b.txt\\0"],
  ["a renamed file with one name", ":100644 100644 1 2 R100\\0a.txt"],
])("changedFiles fails for an output that is %s", async (_, printed) => {
  const context = await openMain(await GitProject.create(FILES));
  const bin = await tempDir();
  writeExecutable(join(bin, "git"), `#!/bin/sh\nprintf '${printed}'\n`);
  const env = gitEnv({ PATH: `${bin}:${process.env.PATH ?? ""}` });
  const read = await changedFiles(createTestRuntime({ env }), context, "from", "to");
  expect(read._unsafeUnwrapErr().message).toContain(
    "an unknown format instead of a list of changed files"
  );
});

test("changedPaths returns both names of a renamed file, the old one first (G8)", () => {
  expect(
    changedPaths([
      { path: "a", status: "added" },
      { path: "new", status: "renamed", previousPath: "old" },
      { path: "b", status: "deleted" },
    ])
  ).toEqual(["a", "old", "new", "b"]);
});
