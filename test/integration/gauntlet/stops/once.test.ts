import { describe, expect, test } from "vitest";
import { stopReason } from "@/node/services/gauntlet/hook/stopReason";
import type { StopDecision } from "@/node/services/gauntlet/hook/stopDecision";
import { isReason } from "@/node/services/gauntlet/messages/shared";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { stopAt, type StopOptions } from "@test/helpers/gauntlet/stops";
import { beginTurn } from "@test/helpers/gauntlet/projects";
import { restoring } from "@test/helpers/restoring";

const CONFIG = "entry_points:\n  - path: src\n    checks: [ok, fine]\n";
const NOISY = "command: seq 1 400 | sed 's/^/error in line /'; test ! -e bad\n";
/** Counts its runs outside the working tree. */
const COUNTED = "command: echo >> ../.git/runs\n";

const badProject = restoring(async (more?: string) => {
  const checks = { ok: NOISY, fine: COUNTED };
  const project = await GauntletProject.create(`${more ?? ""}${CONFIG}`, checks);
  await project.write("src/bad", "x");
  return project;
});

const runsOf = async (project: GauntletProject): Promise<number> =>
  (await project.read(".git/runs").catch(() => "")).length;

async function reasonOf(project: GauntletProject, { result }: StopDecision): Promise<string> {
  return await stopReason(project.runtime, result);
}

const session: StopOptions = { sessionId: "s", turnId: "t" };

describe("a stop on the tree of the last failed stop (G38)", () => {
  test("gets one short line with the path of the list, and costs an attempt", async () => {
    const project = await badProject();
    const failed = await stopAt(project, { ...session, lastMessage: "Done." });
    expect(failed.personMessage).toMatch(/^check:src:ok: its failure may be older .*\. .*$/);
    const first = await reasonOf(project, failed);
    const again = await stopAt(project, { ...session, stopHookActive: true });
    const second = await reasonOf(project, again);
    expect(again.result).toMatchObject({ status: "failed", attempt: 2, isRepeated: true });
    expect(second).toBe(
      `Gauntlet gates did not pass. No file changed since your last stop, and the same 1 gate failed: check:src:ok. Fix this, or explain to the user why you cannot. If nothing changes, you may stop next time, and the user sees your last message with the failed gates: end it with "not verified". Read ${project.path("gauntlet_logs/console.2.log")} for details.`
    );
    expect(await project.read("gauntlet_logs/console.2.log")).toContain("check:src:ok");
    expect(second).not.toContain("\n");
    expect(first.length).toBeGreaterThan(15 * second.length);
    expect([first, second].map(isReason)).toEqual([true, true]);
    expect(isReason("Gauntlet gates did not pass.")).toBe(false);
  });

  test("names the lists of the same findings, and gets the whole reason for other ones, after an edit, in another session, and if the same gate fails in another way", async () => {
    const project = await badProject();
    const check = "command: cat ../.git/found; exit $(cat ../.git/code)\nfindings: tsc\n";
    await project.write(".gauntlet/checks/ok.yml", check);
    const found = "a.ts(1,2): error TS1: one\na.ts(3,4): error TS2: two\n";
    await project.write(".git/found", found);
    await project.write(".git/code", "1");
    await stopAt(project, session);
    const again = await stopAt(project, session);
    const list = project.path("gauntlet_logs/findings_src_ok.2.txt");
    expect(await reasonOf(project, again)).toMatch(
      `and the same 1 gate failed with the same 2 findings: check:src:ok. Fix this, or explain to the user why you cannot. If nothing changes, you may stop next time, and the user sees your last message with the failed gates: end it with "not verified". Full list: ${list}. Read `
    );
    expect(await project.read("gauntlet_logs/findings_src_ok.2.txt")).toContain("a.ts:3:4 two");

    const isRepeated = async (turnId: string, sessionId = "s") =>
      (await stopAt(project, { sessionId, turnId })).result.isRepeated;
    await project.write(".git/found", found.replace("two", "three"));
    expect(await isRepeated("2")).toBeUndefined();
    await project.write("src/bad", "y");
    expect(await isRepeated("2")).toBeUndefined();
    expect(await isRepeated("2", "other")).toBeUndefined();
    expect(await isRepeated("2")).toBe(true);
    await project.write(".git/code", "4");
    expect(await isRepeated("3")).toBeUndefined();
  });

  test("runs only the open gates, also in CI, where passes are not remembered", async () => {
    const project = await badProject();
    const ci: StopOptions = { ...session, env: { CI: "1" } };
    await project.write(".gauntlet/checks/fine.yml", `${COUNTED}inputs: ["none"]\n`);
    const first = await stopAt(project, ci);
    const ran = await runsOf(project);
    await project.remove("gauntlet_logs/.check_cache.json").catch(() => undefined);
    const again = await stopAt(project, ci);
    expect(first.result.gates.map(({ jobId }) => jobId)).toHaveLength(2);
    expect(again.result.gates.map(({ jobId }) => jobId)).toEqual(["check:src:ok"]);
    expect(await runsOf(project)).toBe(ran);
  });

  test("passes when the open gate passes, and the pass is for the whole tree", async () => {
    const project = await badProject();
    await project.write(".gauntlet/checks/ok.yml", "command: test -e ../.git/service\n");
    await stopAt(project, session);
    await project.write(".git/service", "");
    expect((await stopAt(project, session)).result.status).toBe("passed");
    expect((await stopAt(project, session)).result.status).toBe("no_changes");
  });
});

test("at the retry limit, the user sees the agent's last message, cut to 500 characters, on one line (G38)", async () => {
  const lastMessage = `The server\nis down. ${"x".repeat(600)}`;
  const project = await badProject("max_retries: 0\n");
  const { result, personMessage = "" } = await stopAt(project, { ...session, lastMessage });
  expect(result.status).toBe("retry_limit_exceeded");
  const line = personMessage.split("\n")[1]!;
  expect(line).toMatch(/^the agent's last message: The server is down\. x/);
  expect(line.length).toBeLessThanOrEqual("the agent's last message: ".length + 500);
  const further = await stopAt(project, { ...session, lastMessage: "Still down." });
  expect(further.personMessage).toContain("the agent's last message: Still down.");
});

describe("three failed stops of a turn on an unchanged tree (G19, G38)", () => {
  const statuses = async (project: GauntletProject, count: number, more: StopOptions = {}) => {
    const seen = [];
    for (let i = 0; i < count; i++) {
      seen.push((await stopAt(project, { ...session, ...more })).result.status);
    }
    return seen;
  };

  test("let the agent stop, without a verdict, and leave the gate unresolved", async () => {
    const project = await badProject();
    expect(await statuses(project, 2)).toEqual(["failed", "failed"]);
    const lastMessage = "I cannot fix check:src:ok, because the server is down.";
    const { result, personMessage } = await stopAt(project, { ...session, lastMessage });
    expect(result).toMatchObject({ status: "retry_limit_exceeded", attempt: 3 });
    expect(personMessage).toMatch(
      /^not verified: no file changed since the gates failed, and the agent stopped; unresolved: check:src:ok; /
    );
    expect(personMessage).toContain(`\ncheck:src:ok: ${project.path("gauntlet_logs")}`);
    expect(personMessage).toContain(`\nthe agent's last message: ${lastMessage}`);
    expect(await project.state()).toMatchObject({
      ...{ status: "retry_limit_exceeded", open: ["check:src:ok"] },
    });
    expect(await statuses(project, 1, { turnId: "next" })).toEqual(["failed"]);
  });

  test("do not let the agent stop after an edit, also if it was taken back, and show that there was no explanation", async () => {
    const project = await badProject();
    expect(await statuses(project, 1)).toEqual(["failed"]);
    await project.write("src/more.txt", "x");
    expect(await statuses(project, 1)).toEqual(["failed"]);
    await project.remove("src/more.txt");
    expect(await statuses(project, 2)).toEqual(["failed", "retry_limit_exceeded"]);
    const further = await stopAt(project, session);
    expect(further.personMessage).toContain("retry limit exceeded");

    const next = { ...session, turnId: "next" };
    expect(await statuses(project, 2, next)).toEqual(["failed", "failed"]);
    const { personMessage } = await stopAt(project, { ...next, lastMessage: "All is well" });
    expect(personMessage).toContain(
      "\nthe agent stopped without an explanation; the agent's last message: All is well"
    );
  });

  test("do not let the agent stop if it changed the gates in the turn", async () => {
    const project = await badProject();
    await beginTurn(project, { sessionId: "s" });
    await project.write("src/bad", "y");
    await project.write(".gauntlet/checks/ok.yml", `${NOISY}# weaker\n`);
    expect(await statuses(project, 4)).toEqual([
      ...["failed", "failed", "failed"],
      "retry_limit_exceeded",
    ]);
  });
});
