import { cp, mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { GitProject, gitEnv } from "@test/helpers/gitProject";
import { createRepository } from "@test/helpers/newRepository";
import { folderWith, putFile, tempDir } from "@test/helpers/tempDir";

test("createRepository writes what git writes", async () => {
  const files = ["a.txt", "a/b.txt", "a-b.txt", "a/c d.txt", "é/ü.txt", "z"];
  const written = await folderWith(Object.fromEntries(files.map((path) => [path, path])));
  await putFile(join(written, "run.sh"), "", 0o755);
  await mkdir(join(written, "empty/empty"), { recursive: true });
  await symlink("a.txt", join(written, "link"));
  const copy = await tempDir();
  await cp(written, copy, { recursive: true, verbatimSymlinks: true });
  createRepository(written, gitEnv(), "work");
  const [ours, gits] = [new GitProject(written), new GitProject(copy)];
  gits.git("init", "--quiet", "--initial-branch=main");
  gits.git("add", "--all");
  gits.git("commit", "--quiet", "--message=first");
  gits.git("switch", "--quiet", "--create=work");
  const facts = (project: GitProject) => [
    project.git("fsck", "--strict", "--no-progress"),
    // Begins with the files whose entries of the index differ from what is on the disk.
    project.git("diff-files", "--name-only"),
    project.git("ls-files", "--stage"),
    project.git("write-tree"),
    project.git(
      "for-each-ref",
      "--format=%(refname) %(tree) %(contents) %(authorname) %(committeremail)"
    ),
    project.git("log", "--walk-reflogs", "--all", "--format=%gD %gs %gn"),
    project.git("config", "--local", "--list"),
    project.git("status", "--porcelain", "--branch"),
  ];
  expect(facts(ours)).toEqual(facts(gits));
});
