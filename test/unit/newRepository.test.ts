import { cp, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { GitProject, gitEnv } from "@test/helpers/gitProject";
import { createRepository } from "@test/helpers/newRepository";
import { folderWith, putFile, tempDir } from "@test/helpers/tempDir";

test("createRepository writes what git writes", async () => {
  const files = ["a.txt", "a/b.txt", "a-b.txt", "a/c d.txt", "é/ü.txt", "z"];
  const ours = new GitProject(await folderWith(Object.fromEntries(files.map((it) => [it, it]))));
  await putFile(ours.at("run.sh"), "", 0o755);
  await mkdir(ours.at("empty/empty"), { recursive: true });
  const gits = new GitProject(join(await tempDir(), "copy"));
  await cp(ours.dir, gits.dir, { recursive: true });
  createRepository(ours.dir, gitEnv(), "work");
  gits.git("init", "--quiet", "--initial-branch=main");
  gits.commit("first");
  gits.git("switch", "--quiet", "--create=work");
  const questions = [
    ...["fsck --strict --no-progress", "ls-files --stage", "write-tree"],
    // Files whose entries in the index differ from what is on the disk.
    ...["diff-files --name-only", "status --porcelain --branch"],
    "for-each-ref --format=%(refname)/%(tree)/%(contents)/%(authorname)/%(committeremail)",
    "log --walk-reflogs --all --format=%gD/%gs/%gn",
  ];
  for (const question of questions) {
    const [of, from] = [ours, gits].map((it) => it.git(...question.split(" ")).split("\n"));
    expect(of?.toSorted()).toEqual(from?.toSorted());
  }
});
