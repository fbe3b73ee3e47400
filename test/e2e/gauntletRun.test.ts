import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { type InterruptSignal, EXIT } from "@/cli/context";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { agentGauntlet, type Called } from "@test/helpers/gauntlet/agentGauntlet";
import type { TestContext } from "@test/helpers/cliContext";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { isAlive, makeGate, readPids } from "@test/helpers/process/processes";
import { tempDir } from "@test/helpers/tempDir";
import { restoring } from "@test/helpers/restoring";
import { screen } from "@test/helpers/process/terminal";

const CONFIG = "entry_points:\n  - path: src\n    checks: [ok]\n";
const CHECK = { ok: "command: test ! -e bad || { echo bad is there; exit 3; }\n" };

const changedProject = restoring(
  async (config: string = CONFIG, checks: Record<string, string> = CHECK) => {
    const project = await GauntletProject.create(config, checks);
    await project.write("src/new.txt", "x");
    return project;
  },
  ({ dir }) => [dir]
);

async function brokenProject(more = "") {
  const project = await changedProject(`${more}${CONFIG}`);
  await project.write("src/bad", "x");
  return project;
}

function resultIn(stdout: string): RunResult {
  expect(stdout.match(/\n/g)).toHaveLength(1);
  return JSON.parse(stdout) as RunResult;
}

describe("run", () => {
  test("prints plain lines to standard error and exits with 0 after a pass (G30a)", async () => {
    const { code, stdout, stderr } = await agentGauntlet(await changedProject(), "run");
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(stderr).toMatch(
      /^\[START\] check:src:ok\n\[PASS\] {2}check:src:ok \(\d\.\d\ds\)\n\nIteration 1:\nTotal: 0 fixed, 0 skipped, 0 failed\nStatus: Passed\n$/
    );
  });

  test("prints the path of the log and exits with 1 after a failure, from a folder inside as well (G3, G24, G30a)", async () => {
    const project = await brokenProject();
    const { code, stderr } = await agentGauntlet(project, "run", { cwd: project.path("src") });
    expect(code).toBe(1);
    const log = project.path("gauntlet_logs/check_src_ok.1.log");
    expect(stderr).toMatch(
      /\[FAIL\] {2}check:src:ok \(\d\.\d\ds\) - Exited with code 3\n {6}Log: (.*)\n/
    );
    expect(stderr).toContain(`      Log: ${log}\n`);
    expect(stderr).toMatch(/Total: 0 fixed, 0 skipped, 1 failed\nStatus: Failed\n$/);
    expect(await project.read("gauntlet_logs/console.1.log")).toBe(stderr);
  });

  test("exits with 0 if nothing changed or no gate matches the changes (G3)", async () => {
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
  });

  test("always runs by hand, regardless of earlier failures (G19)", async () => {
    const project = await brokenProject("max_retries: 0\n");
    for (let i = 0; i < 2; i++) {
      const { code, stderr } = await agentGauntlet(project, "run");
      expect(code).toBe(1);
      expect(stderr).toMatch(/^\[FAIL\] {2}check:src:ok[^]*\nStatus: Failed\n$/m);
    }
  });

  test("--all runs every gate without changes, --force runs gates that have passed (G20d)", async () => {
    const project = await GauntletProject.create(CONFIG, CHECK);
    const all = await agentGauntlet(project, "run --all");
    expect(all.stderr).toContain("[PASS]  check:src:ok");
    await project.write("src/new.txt", "x");
    await agentGauntlet(project, "run");
    const forced = await agentGauntlet(project, "run --force");
    expect(forced.stderr).toMatch(/\[PASS\] {2}check:src:ok \(\d/);
  });

  test("reports an invalid configuration with line and squiggle, and exits with 1 (G5)", async () => {
    const project = await changedProject("entry_points: 3\n", {});
    const { code, stderr } = await agentGauntlet(project, "run");
    expect(code).toBe(1);
    expect(stderr).toContain(`${project.path(".gauntlet/config.yml")}:2:15: entry_points: `);
    expect(stderr).toContain(
      " 2 | entry_points: 3\n                   ~\nThe changes were not verified.\n"
    );
  });

  test("prints a message, not a stack trace, if the folder is not a repository (G8)", async () => {
    const project = await changedProject();
    await project.remove(".git");
    const { code, stderr } = await agentGauntlet(project, "run");
    expect(code).toBe(1);
    expect(stderr).toMatch(/is not in a git repository.*; the changes were not verified\n$/);
  });

  test("refuses to run or clean during another run: prints its lock and exits with 1 (G17, G18)", async () => {
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
    await end("SIGTERM");
  });

  test("escapes a folder name that imitates a line or controls the terminal (G30a)", async () => {
    const project = await GauntletProject.create(
      "entry_points:\n  - path: packages/*\n    checks: [ok]\n",
      { ok: "command: 'false'\n" }
    );
    await project.write("packages/a\nStatus: Passed\u001b[2J/x.txt", "x");
    const { code, stderr } = await agentGauntlet(project, "run");
    expect(code).toBe(1);
    expect(stderr).toContain("[START] check:packages/a\\nStatus: Passed\\u001b[2J:ok\n");
    expect(stderr.match(/^Status: .*/gm)).toEqual(["Status: Failed"]);
  });
});

describe("options of run", () => {
  const TWO = "entry_points:\n  - path: src\n    checks: [ok, other]\n";
  const CHECKS = { ...CHECK, other: "command: 'true'\n" };

  test("-g runs only that gate, and may be repeated (G19a)", async () => {
    const project = await changedProject(TWO, { ...CHECKS });
    const one = await agentGauntlet(project, "run -g other");
    expect(one.stderr.match(/\[START\].*/g)).toEqual(["[START] check:src:other"]);
    expect(await project.state()).toMatchObject({ partial: true });
    const both = await agentGauntlet(project, "run --gate other --gate=ok");
    expect(both.stderr).toMatch(/\[PASS\] {2}check:src:ok \(/);
    expect(both.stderr).toMatch(/\[PASS\] {2}check:src:other \(/);
  });

  test("-g with an unknown name lists the existing gates (G30b)", async () => {
    const { code, stderr } = await agentGauntlet(await changedProject(), "run -g lint");
    expect(code).toBe(1);
    expect(stderr).toContain('there is no gate named "lint"; defined are: ok');
  });

  test("--no-cache runs gates that have passed on the same inputs (G21)", async () => {
    const project = await changedProject();
    await agentGauntlet(project, "run -u");
    const cached = await agentGauntlet(project, "run -u");
    expect(cached.stderr).toMatch(/\[PASS\] {2}check:src:ok \(cached, passed at \S+Z\)/);
    const anew = await agentGauntlet(project, "run -u --no-cache");
    expect(anew.stderr).toMatch(/\[START\] check:src:ok\n\[PASS\] {2}check:src:ok \(\d/);
  });

  test("-u checks uncommitted changes, -c checks one commit (G7)", async () => {
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
  });

  test("-b sets the base, also in the CI of a pull request (G7)", async () => {
    const project = await changedProject();
    await project.commit("new");
    const env = { CI: "true", GITHUB_BASE_REF: "main" };
    const plain = await agentGauntlet(project, "run", { env });
    expect(plain.stderr).toContain("[START] check:src:ok");
    const named = await agentGauntlet(project, "run -b work", { env });
    expect(named.code).toBe(0);
    expect(named.stderr).toMatch(/Status: No changes\n$/);
  });

  test.each([["passed"], ["failed"]] as const)(
    "--json prints a result with the status %s as one line, equal to the report (G30b)",
    async (status) => {
      const project = await (status === "passed" ? changedProject() : brokenProject());
      const { code, stdout, stderr } = await agentGauntlet(project, "run --json");
      expect(code).toBe(status === "passed" ? EXIT.ok : EXIT.failure);
      expect(resultIn(stdout)).toMatchObject({ status, gatesRun: 1 });
      const folder = status === "passed" ? "gauntlet_logs/previous" : "gauntlet_logs";
      expect(await project.read(`${folder}/report.1.json`)).toBe(stdout);
      expect(stderr).toContain("[START] check:src:ok\n");
    }
  );

  test("--json prints a result without a project as well", async () => {
    const { code, stdout, stderr } = await agentGauntlet({ dir: await tempDir() }, "run --json");
    expect(code).toBe(1);
    expect(resultIn(stdout).status).toBe("no_config");
    expect(stderr).toContain("not a gauntlet-enabled project");
  });
});

describe("check", () => {
  const REVIEWED = "entry_points:\n  - path: src\n    checks: [ok]\n    reviews: [cq]\n";

  async function reviewedProject() {
    const project = await changedProject();
    await project.write(".gauntlet/config.yml", `base_branch: main\n${REVIEWED}`);
    await project.write(".gauntlet/reviews/cq.md", "Look at it.\n");
    return project;
  }

  test("is partial and does not mention reviews if there are any (G19a)", async () => {
    const project = await reviewedProject();
    const { code, stderr } = await agentGauntlet(project, "check");
    expect(code).toBe(0);
    expect(stderr).not.toContain("review");
    expect(await project.state()).toMatchObject({ partial: true, status: "passed" });
  });

  test("differs from run, which is complete and includes the reviews (G19a)", async () => {
    const project = await reviewedProject();
    await project.write(
      ".gauntlet/config.yml",
      `base_branch: main\ncli: { commands: { mine: "echo '{}'" }, default_preference: [mine] }\n${REVIEWED}`
    );
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

  test("does not accept the name of a review", async () => {
    const { stderr } = await agentGauntlet(await reviewedProject(), "check -g cq");
    expect(stderr).toContain('there is no check named "cq"; defined are: ok');
  });
});

test("SIGHUP ends the run cleanly, with exit code 129 (G28)", async () => {
  const { project, end } = await startedRun();
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

describe("on a terminal (G30)", () => {
  test("shows one line per gate at the end, followed by the summary", async () => {
    const project = await brokenProject();
    const { code, stderr } = await agentGauntlet(project, "run", { tty: true });
    expect(code).toBe(1);
    expect(stderr).not.toContain("[START]");
    expect(screen(stderr).split("\n")).toEqual([
      expect.stringMatching(/^ {2}✖ check:src:ok {2}failed +\d+ms {2}Exited with code 3$/),
      "      | bad is there",
      `      Log: ${project.path("gauntlet_logs/check_src_ok.1.log")}`,
      "",
      "Gates: 1 failed",
      expect.stringMatching(/^Time: /),
      "Status: Failed",
      "",
    ]);
    expect(stderr).toContain("\u001b[31m");
  });

  test("NO_COLOR removes the colors and keeps the live view", async () => {
    const env = { NO_COLOR: "1" };
    const { stderr } = await agentGauntlet(await brokenProject(), "run", { tty: true, env });
    expect(stderr).toContain("✖ check:src:ok");
    // oxlint-disable-next-line no-control-regex -- the pattern matches color codes
    expect(stderr).not.toMatch(/\u001b\[\d+m/);
  });

  test("--json gets plain lines", async () => {
    const { stderr } = await agentGauntlet(await brokenProject(), "run --json", { tty: true });
    expect(stderr).toContain("[START] check:src:ok\n");
    expect(stderr).not.toContain("\u001b");
  });
});

interface StartedRun {
  readonly project: GauntletProject;
  /** Sends the signal and waits for the end. */
  readonly end: (signal: InterruptSignal) => Promise<Called>;
}

/** Starts a run with one check, and waits until it is running. The file `pids` has its process IDs. */
async function startedRun(): Promise<StartedRun> {
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
    end: async (signal) => {
      interrupt(signal);
      return await call;
    },
  };
}
