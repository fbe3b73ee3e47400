/** Reviews by the built command and its Stop hook, from the first finding to the pass. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, watch } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agentGauntletBin } from "@test/helpers/freshBuild";
import { isAlive, kill, readPids } from "@test/helpers/process/processes";
import { ReviewedProject } from "@test/helpers/gauntlet/reviewedProject";
import { tempDir } from "@test/helpers/tempDir";

const TRUSTED = { MUX_HOOKS_TRUST: "always" };
const BUG = { file: "src/a.txt", line: 1, issue: "it is wrong", priority: "high" };
const SLIP = { file: "src/a.txt", line: 2, issue: "it is ugly", priority: "medium" };
const FAIL = { status: "fail", violations: [BUG] };
const TEXT = JSON.stringify(FAIL);

/** Creates a project with a change. The reviewer finds both violations at its first call, and none later. */
async function failing(): Promise<ReviewedProject> {
  const project = await ReviewedProject.create();
  await project.fakes.tell("claude", { answer: { ...FAIL, violations: [BUG, SLIP] } }, {});
  await project.project.write("src/a.txt", "wrong\nugly\n");
  return project;
}

test("skip refuses a check, an unknown ID, and a missing reason; clean removes files of a killed reviewer (G18, G30b)", async () => {
  const project = await failing();
  await project.call("run");
  const check = await project.call("skip", "check:src:lint", "--reason", "it is old");
  expect(check).toMatchObject({ code: 1, stdout: "" });
  expect(check.stderr).toContain("a check cannot be skipped");
  const none = await project.call("skip", "ffffffff0", "--reason", "it is old");
  expect(none.code).toBe(1);
  const { violations } = await project.review(1);
  const { id } = violations[0]!;
  expect(none.stderr).toContain(id);
  for (const reason of [" ", ".", "no no no"]) {
    expect((await project.call("skip", id, "--reason", reason)).code).toBe(1);
  }
  expect((await project.call("skip", id)).code).toBe(2);
  expect((await project.review(1)).violations).toEqual(violations);

  // The folders of a killed question and of a killed run without usable logs.
  const names = ["00000000-0000-4000-8000-000000000000", "0".repeat(32)];
  const left = names.map((name) => `gauntlet_logs/.review-${name}`);
  for (const folder of left) await project.project.write(`${folder}/prompt.md`, "secret?");
  expect((await project.call("clean")).code).toBe(0);
  expect(await project.leftovers()).toEqual([]);
  // A new run reviews all.
  await project.call("run");
  expect((await project.fakes.calls("claude"))[1]?.prompt).toContain("      -a\n    1 +wrong");
});

/** Starts a run, and waits until its reviewer hangs. Returns the file with the reviewer's process ID. */
async function hangingRun() {
  const project = await ReviewedProject.create("cli: { default_preference: [cursor] }\n");
  const folder = await tempDir();
  const started = join(folder, "pid");
  await project.fakes.tell("agent", { hang: true, started });
  await project.project.write("src/a.txt", "wrong\n");
  const hanging = watchFor(folder);
  const child = spawn(process.execPath, [agentGauntletBin, "run"], {
    cwd: project.project.dir,
    env: { ...project.env, HOME: folder, ...TRUSTED },
    stdio: ["ignore", "pipe", "ignore"],
  });
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  await hanging;
  return { project, started, child, stdout: () => stdout };
}

test("a signal while a reviewer runs ends it, and removes the lock and the prompt (G28)", async () => {
  const { project, started, child, stdout } = await hangingRun();
  child.kill("SIGINT");
  expect(await once(child, "close")).toEqual([130, null]);
  expect(stdout()).toBe("");
  expect((await readPids(started)).map(isAlive)).toEqual([false]);
  expect(await project.leftovers()).toEqual([]);
  expect(await project.project.state()).toMatchObject({ attempt: 0, open: ["review:.:cq"] });
  await project.fakes.tell("agent", {});
  expect((await project.call("run")).code).toBe(0);
});

test("removes the prompt of a killed run with the next clean, and takes no verdict from it (G17, G18)", async () => {
  const { project, started, child } = await hangingRun();
  child.kill("SIGKILL");
  await once(child, "close");
  (await readPids(started)).forEach(kill);
  expect(await project.leftovers()).toHaveLength(2);

  await project.fakes.tell("agent", { answer: FAIL }, { answer: FAIL }, {});
  expect((await project.stop()).response.decision).toBe("block");
  const json = `gauntlet_logs/review_._cq_cursor@1.2.json`;
  const review = await project.review(2, "cursor");
  for (const violation of review.violations) Object.assign(violation, { status: "fixed" });
  await project.project.write(json, JSON.stringify(review));
  await project.project.write("src/a.txt", "right\n");
  expect((await project.stop()).response).toMatchObject({ decision: "approve", status: "passed" });
  expect(await project.leftovers()).toEqual([]);
});

/** Resolves once the file `pid` is complete. */
async function watchFor(folder: string): Promise<void> {
  await new Promise<void>((resolve) => {
    const watcher = watch(folder, () => {
      const text = readFileSync(join(folder, "pid"), { encoding: "utf8", flag: "a+" });
      if (!text.endsWith("\n")) return;
      watcher.close();
      resolve();
    });
  });
}

test("keeps the logs of two reviewers whose names give the same file name (G15a)", async () => {
  const bin = await tempDir();
  await mkdir(join(bin, "x"));
  for (const [name, script] of [
    ["first", "echo 'rate limit of the first' >&2; exit 1"],
    ["second", `echo '${TEXT}'`],
  ] as const) {
    await writeFile(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }
  const project = await ReviewedProject.create(
    `cli:\n  default_preference: ["a/b", "a_b"]\n  commands: { "a/b": "${bin}/first", "a_b": "${bin}/second" }\n`
  );
  await project.project.write("src/a.txt", "wrong\n");
  expect((await project.call("run")).code).toBe(1);
  const log = await project.project.read("gauntlet_logs/review_._cq_a_b@1.1.log");
  expect(log).toContain("(a/b@1)");
  expect(log).toContain("rate limit of the first");
  expect(log).toContain("(a_b@1)");
  expect(log).toContain(BUG.issue);
  expect(await project.review(1, "a_b")).toMatchObject({ adapter: "a_b", status: "fail" });
  const state = JSON.stringify(await project.project.state());
  expect(state).toContain('"reviewer":"a_b"');
});
