import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { type InterruptSignal, EXIT } from "@/cli/context";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { agentGauntlet } from "@test/helpers/gauntlet/agentGauntlet";
import type { TestContext } from "@test/helpers/cliContext";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { isAlive, makeGate, readPids } from "@test/helpers/process/processes";
import { tempDir } from "@test/helpers/tempDir";
import { brokenProject, changedProject, CHECK, CONFIG } from "@test/helpers/gauntlet/projects";
import { screen } from "@test/helpers/process/terminal";

function resultIn(stdout: string): RunResult {
  expect(stdout.match(/\n/g)).toHaveLength(1);
  return JSON.parse(stdout) as RunResult;
}

describe("run", () => {
  test("prints the path of the log and exits with 1 after each failure, from a folder inside as well (G3, G19, G24, G30a)", async () => {
    const project = await brokenProject("max_retries: 0\n");
    const { code, stderr } = await agentGauntlet(project, "run", { cwd: project.path("src") });
    expect(code).toBe(1);
    const log = project.path("gauntlet_logs/check_src_ok.1.log");
    expect(stderr).toContain(`      Log: ${log}\n`);
    expect(await project.read("gauntlet_logs/console.1.log")).toBe(stderr);
    // Runs by hand have no limit.
    const again = await agentGauntlet(project, "run");
    expect(again.code).toBe(1);
    expect(again.stderr).toMatch(/^\[FAIL\] {2}check:src:ok[^]*\nStatus: Failed\n$/m);
  });

  test("exits with 0 without changes or gates for them; --all runs gates without changes, --force passed ones (G3, G20d)", async () => {
    const project = await GauntletProject.create(CONFIG, CHECK);
    expect(await agentGauntlet(project, "run")).toEqual({
      code: 0,
      stdout: "",
      stderr: expect.stringMatching(
        /^Note: nothing to compare with.*\nStatus: No changes\n$/
      ) as string,
    });
    await project.write("README.md", "x");
    expect(await agentGauntlet(project, "run")).toMatchObject({
      code: 0,
      stderr: "Status: No applicable gates\n",
    });
    const all = await agentGauntlet(project, "run --all");
    expect(all.stderr).toContain("[PASS]  check:src:ok");
    await project.write("src/new.txt", "x");
    await agentGauntlet(project, "run");
    const forced = await agentGauntlet(project, "run --force");
    expect(forced.stderr).toMatch(/\[PASS\] {2}check:src:ok \(\d/);
  });

  test("reports an invalid configuration and a folder that is no repository without a stack trace, and exits with 1 (G5, G8)", async () => {
    const project = await changedProject("entry_points: 3\n");
    const invalid = await agentGauntlet(project, "run");
    expect(invalid.code).toBe(1);
    expect(invalid.stderr).toContain(
      `${project.path(".gauntlet/config.yml")}:2:15: entry_points: `
    );
    expect(invalid.stderr).toContain(
      " 2 | entry_points: 3\n                   ~\nThe changes were not verified.\n"
    );
    await project.write(".gauntlet/config.yml", CONFIG);
    await project.remove(".git");
    const { code, stderr } = await agentGauntlet(project, "run");
    expect(code).toBe(1);
    expect(stderr).toMatch(/is not in a git repository.*; the changes were not verified\n$/);
  });

  test("refuses to run or clean during another run, which SIGHUP ends cleanly with exit code 129 (G17, G18, G28)", async () => {
    const { project, end } = await startedRun();
    const lock = project.path("gauntlet_logs/.gauntlet-run.lock");
    for (const command of ["run", "check", "clean"]) {
      const { code, stdout, stderr } = await agentGauntlet(project, [command]);
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toMatch(/^A gauntlet run is already in progress\n {6}process \d+ on /);
      expect(stderr).toContain(`its lock is ${lock}\n`);
    }
    const { stdout } = await agentGauntlet(project, "status");
    expect(stdout).toMatch(
      /^A gauntlet run is already in progress: process \d+ on .*\nThere is no record of a run\./
    );

    const pids = await readPids(project.path("pids"));
    expect(pids.map(isAlive)).toEqual([true, true]);
    const ended = await end("SIGHUP");
    expect(ended.code).toBe(129);
    expect(ended.stderr).toMatch(/\[SKIP\] {2}check:src:slow - Cancelled\n/);
    expect(ended.stderr).toContain("the run was interrupted; the changes were not verified\n");
    expect(pids.map(isAlive)).toEqual([false, false]);
    expect(await project.logs()).toEqual(
      expect.arrayContaining(["check_src_slow.1.log", "console.1.log", "report.1.json"])
    );
    expect(await project.logs()).not.toContain(".gauntlet-run.lock");
    expect(await project.state()).toMatchObject({ status: "infrastructure_error", attempt: 0 });
  });
});

describe("options of run", () => {
  test("-g runs only that gate, and may be repeated; --no-cache runs gates that have passed (G19a, G21, G30b)", async () => {
    const project = await changedProject(
      "entry_points:\n  - path: src\n    checks: [ok, other]\n",
      { ...CHECK, other: "command: 'true'\n" }
    );
    const one = await agentGauntlet(project, "run -g other");
    expect(one.stderr.match(/\[START\].*/g)).toEqual(["[START] check:src:other"]);
    expect(await project.state()).toMatchObject({ partial: true });
    const both = await agentGauntlet(project, "run --gate other --gate=ok");
    expect(both.stderr).toMatch(/\[PASS\] {2}check:src:ok \(\d/);
    expect(both.stderr).toMatch(/\[PASS\] {2}check:src:other \(cached, passed at \S+Z\)/);
    const anew = await agentGauntlet(project, "run -g other --no-cache");
    expect(anew.stderr).toMatch(/\[START\] check:src:other\n\[PASS\] {2}check:src:other \(\d/);
    const unknown = await agentGauntlet(project, "run -g lint");
    expect(unknown.code).toBe(1);
    expect(unknown.stderr).toContain('there is no gate named "lint"; defined are: ok, other');
  });

  test("-u checks uncommitted changes, -c one commit, and -b sets the base, also in the CI of a pull request (G7)", async () => {
    const project = await changedProject();
    await project.commit("new");
    const uncommitted = await agentGauntlet(project, "run -u");
    expect(uncommitted).toMatchObject({ code: 0, stderr: "Status: No changes\n" });
    const commit = await agentGauntlet(project, "run -c HEAD");
    expect(commit).toMatchObject({ code: 0 });
    expect(commit.stderr).toContain("[START] check:src:ok");
    const unknown = await agentGauntlet(project, "run --commit beef");
    expect(unknown.code).toBe(1);
    expect(unknown.stderr).toContain('there is no commit "beef" in this repository');
    const env = { CI: "true", GITHUB_BASE_REF: "main" };
    const named = await agentGauntlet(project, "run -b work", { env });
    expect(named.code).toBe(0);
    expect(named.stderr).toMatch(/Status: No changes\n$/);
  });

  test("--json prints a result as one line, equal to the report, also without a project or on a terminal (G30b)", async () => {
    const project = await brokenProject();
    const failed = await agentGauntlet(project, "run --json", { tty: true });
    expect(failed.code).toBe(EXIT.failure);
    expect(resultIn(failed.stdout)).toMatchObject({ status: "failed", gatesRun: 1 });
    expect(await project.read("gauntlet_logs/report.1.json")).toBe(failed.stdout);
    expect(failed.stderr).toContain("[START] check:src:ok\n");
    expect(failed.stderr).not.toContain("\u001b");
    await project.remove("src/bad");
    const passed = await agentGauntlet(project, "run --json");
    expect(passed.code).toBe(EXIT.ok);
    expect(resultIn(passed.stdout)).toMatchObject({ status: "passed", gatesRun: 1 });
    expect(await project.read("gauntlet_logs/previous/report.2.json")).toBe(passed.stdout);
    const none = await agentGauntlet({ dir: await tempDir() }, "run --json");
    expect(none.code).toBe(1);
    expect(resultIn(none.stdout).status).toBe("no_config");
    expect(none.stderr).toContain("not a gauntlet-enabled project");
  });
});

describe("check", () => {
  test("is partial and leaves out reviews, which run includes (G19a)", async () => {
    const project = await changedProject();
    await project.write(
      ".gauntlet/config.yml",
      `base_branch: main\ncli: { commands: { mine: "echo '{}'" }, default_preference: [mine] }\n${CONFIG}    reviews: [cq]\nlog_dir: gauntlet_logs\n`
    );
    await project.write(".gauntlet/reviews/cq.md", "Look at it.\n");
    const check = await agentGauntlet(project, "check");
    expect(check.code).toBe(0);
    expect(check.stderr).not.toContain("review");
    expect(await project.state()).toMatchObject({ partial: true, status: "passed" });
    const named = await agentGauntlet(project, "check -g cq");
    expect(named.stderr).toContain('there is no check named "cq"; defined are: ok');
    const review = await agentGauntlet(project, "review");
    expect(review.stderr.match(/\[START\].*/g)).toEqual(["[START] review:src:cq (mine@1)"]);

    const { code, stderr } = await agentGauntlet(project, "run");
    expect(stderr).toContain("[START] review:src:cq (mine@1)\n");
    expect(stderr).toContain("[PASS]  check:src:ok");
    expect(code).toBe(1);
    expect(await project.state()).toMatchObject({ partial: false, open: ["review:src:cq"] });
  });

  test("is complete if there are no reviews (G19a)", async () => {
    const project = await brokenProject();
    const { code } = await agentGauntlet(project, "check");
    expect(code).toBe(1);
    expect(await project.state()).toMatchObject({ partial: false, attempt: 1 });
  });
});

test("a terminal shows one line per gate, followed by the summary, without colors with NO_COLOR (G30)", async () => {
  const project = await brokenProject();
  const { code, stderr } = await agentGauntlet(project, "run", { tty: true });
  expect(code).toBe(1);
  expect(stderr).not.toContain("[START]");
  expect(screen(stderr).split("\n")).toEqual([
    expect.stringMatching(/^ {2}✖ check:src:ok {2}failed +[\d.]+m?s {2}Exited with code 3$/),
    "      | bad is there",
    `      Log: ${project.path("gauntlet_logs/check_src_ok.1.log")}`,
    "",
    "Gates: 1 failed",
    expect.stringMatching(/^Time: /),
    "Status: Failed",
    "",
  ]);
  expect(stderr).toContain("\u001b[31m");
  const plain = await agentGauntlet(project, "run", { tty: true, env: { NO_COLOR: "1" } });
  expect(plain.stderr).toContain("✖ check:src:ok");
  // oxlint-disable-next-line no-control-regex -- the pattern matches color codes
  expect(plain.stderr).not.toMatch(/\u001b\[\d+m/);
});

/** Starts a run with one check, and waits until it is running. The file `pids` has its process IDs. */
async function startedRun() {
  const started = await makeGate(await tempDir(), "started");
  const script = `sleep 60 & echo $$ > ../pids; echo $! >> ../pids; echo > ${started.path}; wait`;
  const project = await changedProject("entry_points:\n  - path: src\n    checks: [slow]\n", {
    slow: `command: '${script}'\n`,
  });
  let interrupt: TestContext["interrupt"] = () => undefined;
  const call = agentGauntlet(project, "run", {
    prepare: (context) => (interrupt = context.interrupt),
  });
  await readFile(started.path);
  return {
    project,
    /** Sends the signal and waits for the end. */
    end: async (signal: InterruptSignal) => {
      interrupt(signal);
      return await call;
    },
  };
}
