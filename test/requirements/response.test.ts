import { beforeAll, describe, expect, test } from "vitest";
import { ensureBuilt } from "@test/helpers/built";
import type { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { failingReview, skippedReview } from "@test/requirements/reviews";
import {
  badProject,
  expectApproved,
  goodProject,
  minutesAgo,
  sendToHook,
  stop,
  stopInOwnProcess,
  writeGlobalConfig,
  writeState,
  type Stopped,
} from "@test/requirements/rig";

beforeAll(ensureBuilt);

async function inProject(
  prepare: (project: GauntletProject) => Promise<unknown>,
  input: Readonly<Record<string, unknown>> = {}
): Promise<Stopped> {
  const project = await badProject();
  await prepare(project);
  return await stop(project, input);
}

const lock = (project: GauntletProject): Promise<void> =>
  project.write("gauntlet_logs/.gauntlet-run.lock", String(process.pid));

describe("Block Decision Output", () => {
  test("Block with reason", async () => {
    const { response } = await stop(await badProject());
    expect(response).toMatchObject({
      decision: "block",
      status: "failed",
      message: "1 of 1 gate failed: check:src:ok, attempt 1 of 4",
    });
    expect(response.reason).toMatch(/^Gauntlet gates did not pass\. .*\n/);
  });

  test("Output format", async () => {
    // A check that has never passed also has a text for the user (G45).
    const project = await goodProject();
    await writeGlobalConfig(project, "stop_hook:\n  run_interval_minutes: 0\n");
    await stop(project);
    await project.write("src/bad", "x");
    const { stdout, response } = await stopInOwnProcess(project);
    expect(stdout).toBe(`${JSON.stringify(response)}\n`);
    const keys = ["decision", "status", "message", "reason", "stopReason"];
    expect(Object.keys(response)).toEqual(keys);
  });
});

describe("Enhanced Stop Reason Instructions", () => {
  async function reasonOf(project: GauntletProject): Promise<string> {
    const { reason = "", stopReason } = (await stop(project)).response;
    expect(stopReason).toBe(reason);
    return reason;
  }

  test("Stop reason includes console log path", async () => {
    const project = await badProject();
    await stop(project);
    const path = project.path("gauntlet_logs/console.2.log");
    expect(await reasonOf(project)).toContain(`Read ${path} for details.`);
    expect(await project.read("gauntlet_logs/console.2.log")).toContain("Status: Failed");
  });

  test("Stop reason excludes manual re-run instruction", async () => {
    const reason = await reasonOf(await badProject());
    expect(reason).not.toContain("agent-gauntlet");
    expect(reason).toContain("The gates run again when you next try to stop");
  });

  test("Stop reason includes urgent fix directive", async () => {
    const installed = { args: ["--verify"] };
    const { reason } = (await stop(await badProject(), {}, installed)).response;
    expect(reason).toContain("**Fix these failures now.** You cannot stop until one of");
    // Without --verify the next stop is approved.
    expect(await reasonOf(await badProject())).toContain("**Fix these failures now.**");
  });

  test("Stop reason includes trust level", async () => {
    const { reason = "" } = (await (await failingReview()).stop()).response;
    expect(reason).toContain("| src/a.txt:1 high: it is wrong");
    expect(reason).toContain(
      "**Trust level: medium.** Fix violations that you reasonably agree with"
    );
    expect(reason).toContain("Skip violations that are purely a matter of style");
  });

  test("Stop reason includes violation handling", async () => {
    const { reason = "" } = (await (await failingReview()).stop()).response;
    expect(reason).toContain('Set "status" to "fixed" with a short "result"');
    expect(reason).toContain('to "skipped" with your reason as "result"');
  });

  test("Stop reason includes termination conditions", async () => {
    const reason = await reasonOf(await badProject());
    for (const end of ["Passed", "Passed with warnings", "Retry limit exceeded"]) {
      expect(reason).toContain(`- "Status: ${end}": `);
    }
  });
});

describe("Structured JSON Response for All Outcomes", () => {
  test("Response structure", async () => {
    const outcomes = [
      await stop(await goodProject()),
      await stop(await badProject()),
      await inProject((project) => project.remove(".gauntlet")),
      await inProject((project) => project.remove(".git/objects")),
      await inProject((project) => project.write(".gauntlet/config.yml", "[")),
      await inProject((project) => project.remove("src")),
      await inProject(lock),
      await inProject(() => Promise.resolve(), { stop_hook_active: true }),
      await sendToHook(await badProject(), "?\n"),
    ];
    expect(new Set(outcomes.map(({ response }) => response.status)).size).toBe(outcomes.length);
    for (const { response } of outcomes) {
      expect(response.decision).toMatch(/^(approve|block)$/);
      expect(response.message).toMatch(/\S/);
      expect("reason" in response).toBe(response.decision === "block");
    }
  });
});

describe("Status Codes for Approval Scenarios", () => {
  test("Status precedence order", async () => {
    const project = await goodProject();
    const noGate = async (): Promise<Stopped> => {
      await project.write("README.md", "x");
      await project.write("src/new.txt", "x");
      await project.remove("src/new.txt");
      return await stop(project);
    };
    expect((await noGate()).response.status).toBe("no_applicable_gates");
    await project.write("src/new.txt", "x");
    expect((await stop(project)).response.status).toBe("passed");
    const failing = await badProject("max_retries: 1\n");
    expect((await stop(failing)).response.status).toBe("failed");
    expect((await stop(failing)).response.status).toBe("retry_limit_exceeded");
  });

  test("Gauntlet passed (exit code 0)", async () => {
    expectApproved(await stop(await goodProject()), "passed", /^all gates passed$/);
  });

  test("No applicable gates", async () => {
    const project = await goodProject();
    await project.remove("src/new.txt");
    await project.write("README.md", "x");
    const stopped = await stop(project);
    expectApproved(stopped, "no_applicable_gates", /^no gates match the changed files$/);
  });

  test("Termination condition - passed (non-zero exit)", async () => {
    const project = await badProject();
    expect((await stop(project)).response.status).toBe("failed");
    await project.remove("src/bad");
    expectApproved(await stop(project), "passed", /^all gates passed$/);
  });

  test("Termination condition - passed with warnings (non-zero exit)", async () => {
    const { response } = await (await skippedReview()).stop();
    expect(response).toMatchObject({ decision: "approve", status: "passed_with_warnings" });
    expect(response.message).toBe("all gates passed, 1 issue skipped");
  });

  test("Termination condition - retry limit exceeded (non-zero exit)", async () => {
    const stopped = await stop(await badProject("max_retries: 0\n"));
    expectApproved(stopped, "retry_limit_exceeded", /retry limit exceeded, human review needed/);
  });

  test("Run interval not elapsed", async () => {
    const stopped = await inProject((project) =>
      writeState(project, { last_run_completed_at: minutesAgo(2), branch: "work" })
    );
    expectApproved(stopped, "interval_not_elapsed", /^8 min left$/);
  });

  test("Lock file exists", async () => {
    const who = `another gauntlet is already running: process ${process.pid}, since `;
    const stopped = await inProject(lock);
    expectApproved(stopped, "lock_exists", new RegExp(`^${who}`));
  });

  test("Infrastructure error", async () => {
    const noGit = await inProject((project) => project.remove(".git"));
    expectApproved(noGit, "infrastructure_error", /is not in a git repository.*were not verified/);
    const noLogs = await inProject((project) => project.write("gauntlet_logs", "a file"));
    expectApproved(noLogs, "infrastructure_error", /the log folder cannot be used/);
    const project = await badProject();
    const noProgram = await stop(project, {}, { env: { PATH: project.path("src") } });
    expectApproved(noProgram, "infrastructure_error", /git.*were not verified/);
  });

  test("No gauntlet configuration", async () => {
    const stopped = await inProject((project) => project.remove(".gauntlet"));
    expectApproved(stopped, "no_config", /^not a gauntlet-enabled project/);
  });

  test("Stop hook already active", async () => {
    const stopped = await stop(await badProject(), { stop_hook_active: true });
    expectApproved(stopped, "stop_hook_active", /to prevent an infinite loop/);
  });

  test("Unexpected error", async () => {
    const stopped = await inProject((project) =>
      project.write(".gauntlet/config.yml", "entry_points: 3\n")
    );
    expectApproved(stopped, "error", /config\.yml:1:15: .*were not verified/s);
  });

  test("Invalid hook input", async () => {
    for (const stdin of ["", "{broken}\n"]) {
      const stopped = await sendToHook(await badProject(), stdin);
      expectApproved(stopped, "invalid_input", /^the input could not be parsed/);
    }
  });
});

describe("Block Status for Failed Gates", () => {
  test("Gates failed - block", async () => {
    const project = await badProject("max_retries: 1\n");
    const { response } = await stop(project);
    expect(response).toMatchObject({
      decision: "block",
      status: "failed",
      message: "1 of 1 gate failed: check:src:ok, attempt 1 of 2",
    });
    expect(response.reason).toContain("- check:src:ok: Exited with code 3");
    expect(response.reason).toContain(project.path("gauntlet_logs/check_src_ok.1.log"));
    expect((await stop(project)).response.decision).toBe("approve");
  });
});
