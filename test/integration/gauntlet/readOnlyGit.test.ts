/** Runs in a repository whose git folder cannot be written, as in the sandbox of some agents (G9). */
import { execFileSync } from "node:child_process";
import { expect, onTestFinished } from "vitest";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { testHere } from "@test/helpers/remote/testRuntime";
import { stopAt } from "@test/helpers/gauntlet/stops";

const CONFIG = "entry_points:\n  - path: .\n    checks: [ok]\n";

/** Modes do not concern root, who mounts the folder again instead. Returns false if that is not allowed. */
function makeReadOnly(dir: string): boolean {
  const run = (file: string, ...args: string[]) => {
    execFileSync(file, args, { stdio: "ignore" });
  };
  if (process.getuid?.() !== 0) {
    run("chmod", "-R", "a-w", dir);
    return true;
  }
  try {
    run("mount", "--bind", dir, dir);
  } catch {
    return false;
  }
  onTestFinished(() => {
    run("umount", dir);
  });
  run("mount", "-o", "remount,bind,ro", dir);
  return true;
}

testHere(
  "a run with a git folder that is read-only gives its verdict, records nothing, and keeps a .gitignore (G9)",
  async (context) => {
    const project = await GauntletProject.create(CONFIG, {
      ok: "command: git cat-file -e {base} && ! grep -rq BAD src\n",
    });
    await project.write("src/a.txt", "BAD\n");
    await project.write("gauntlet_logs/.gitignore", "own\n");
    expect((await project.run()).status).toBe("failed");
    const before = await project.state();
    if (!makeReadOnly(project.path(".git"))) context.skip();
    const failed = await project.run();
    expect(failed.status).toBe("failed");
    const warning = `this result is not recorded, because ${project.path(".git")} cannot be written; the next stop runs the gates again`;
    expect(failed.warnings).toEqual([warning]);
    await project.write("src/a.txt", "good\n");
    expect(await project.run()).toMatchObject({ status: "passed", warnings: [warning] });
    expect(await project.state()).toMatchObject({ open: before.open, failures: before.failures });
    expect((await stopAt(project)).personMessage).toContain(warning);
    expect(await project.read("gauntlet_logs/.gitignore")).toBe("own\n");
    expect((await project.logs()).filter((name) => name.startsWith(".review-"))).toEqual([]);
  }
);
