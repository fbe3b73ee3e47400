import { describe, expect, test } from "vitest";
import { TurnStore } from "@/node/services/gauntlet/turn/TurnStore";
import { agentGauntlet, type CallOptions } from "@test/helpers/gauntlet/agentGauntlet";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { statusAt, stopAt, type StopOptions } from "@test/helpers/gauntlet/stops";
import { brokenProject, CONFIG } from "@test/helpers/gauntlet/projects";
import { restoring } from "@test/helpers/restoring";

const AGENT_VARIABLES = [
  ...["CLAUDECODE", "CLAUDE_PROJECT_DIR", "GEMINI_CLI", "QWEN_PROJECT_DIR", "CODEX_SANDBOX"],
  ...["COPILOT_CLI", "OPENCODE"],
];
const byPerson: CallOptions = { tty: true };
const inTurn = (turnId: string, more: StopOptions = {}): StopOptions => ({
  ...{ sessionId: "s", turnId, ...more },
});

describe("a pause (G42)", () => {
  test("turns the Stop hook off for a turn of the user, and each stop says so", async () => {
    const project = await brokenProject();
    const made = await agentGauntlet(project, ["pause", "--reason", "the tests\nhang"], byPerson);
    expect(made).toMatchObject({ code: 0, stderr: "" });
    expect(made.stdout).toContain("Paused for 1 turn (reason: the tests");
    for (const stopHookActive of [false, true]) {
      const { result, personMessage } = await stopAt(project, inTurn("1", { stopHookActive }));
      expect(result.status).toBe("stop_hook_disabled");
      expect(personMessage).toMatch(
        /^turned off by "mux-stop-hooks pause" until the next turn \(reason: the tests.*hang\); to end the pause, run "mux-stop-hooks resume": the changes were not verified$/
      );
    }
    expect(await statusAt(project, inTurn("2"))).toBe("failed");
    expect(await project.logs(".git/agent-gauntlet/pauses")).toEqual([]);
  });

  test("counts turns of the user, of any session, also of a caller that does not name them", async () => {
    const project = await brokenProject();
    await agentGauntlet(project, ["pause", "--turns", "2"], byPerson);
    const paused = "stop_hook_disabled";
    expect(await statusAt(project, inTurn("1"))).toBe(paused);
    expect((await agentGauntlet(project, ["status"])).stdout).toContain(
      "Paused for this and 1 more turn"
    );
    expect(await statusAt(project, { ...inTurn("1"), sessionId: "other" })).toBe(paused);
    expect(await statusAt(project, inTurn("1"))).toBe(paused);
    expect(await statusAt(project, inTurn("2"))).toBe("failed");
    await agentGauntlet(project, ["pause"], byPerson);
    const stop = { sessionId: "s", beginsTurn: true };
    expect(await statusAt(project, stop)).toBe(paused);
    expect(await statusAt(project, { ...stop, stopHookActive: true })).toBe(paused);
    expect(await statusAt(project, stop)).toBe("failed");
  });

  test("lasts for a time, or until resume, also in its last turn", async () => {
    const project = await brokenProject();
    const { stdout } = await agentGauntlet(project, ["pause", "--minutes", "5"], byPerson);
    expect(stdout).toMatch(/^Paused until \d{4}-.*Z\./);
    const later = (minutes: number) => () => new Date(Date.now() + minutes * 60_000);
    for (const turn of ["1", "2"]) {
      expect(await statusAt(project, inTurn(turn, { now: later(4) }))).toBe("stop_hook_disabled");
    }
    expect(await statusAt(project, inTurn("1", { now: later(6) }))).toBe("failed");
    const resume = async () => (await agentGauntlet(project, ["resume"])).stdout;
    await agentGauntlet(project, ["pause"], byPerson);
    expect(await statusAt(project, inTurn("3"))).toBe("stop_hook_disabled");
    expect(await resume()).toContain("The pause has ended");
    expect(await statusAt(project, inTurn("3"))).toBe("failed");
    expect(await resume()).toContain("There was no pause");
  });

  test("is of one project, and keeps a gate unresolved", async () => {
    const project = await brokenProject();
    expect(await statusAt(project, inTurn("1"))).toBe("failed");
    await agentGauntlet(project, ["pause"], byPerson);
    await project.remove("src/bad");
    await statusAt(project, inTurn("2"));
    expect(await project.state()).toMatchObject({ open: ["check:src:ok"], status: "failed" });
    await project.write("inner/.gauntlet/config.yml", CONFIG);
    await project.write("inner/.gauntlet/checks/ok.yml", "command: exit 1\n");
    await project.write("inner/src/a", "x");
    expect(await statusAt(project, inTurn("2", { from: "inner" }))).toBe("failed");
  });
});

describe("a pause of one gate (G42)", () => {
  const TWO = "entry_points:\n  - path: src\n    checks: [ok, other]\n";
  const project = restoring(async () => {
    const made = await GauntletProject.create(TWO, {
      ok: "command: test ! -e bad\n",
      other: "command: test ! -e worse\n",
    });
    await made.write("src/bad", "x");
    return made;
  });
  const pauseOk = ["pause", "--gate", "ok", "--turns", "3"];

  test("runs the others, each stop names it, and it is refused for a gate that does not exist", async () => {
    const two = await project();
    const { code, stderr } = await agentGauntlet(two, ["pause", "-g", "no"], byPerson);
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: /no gate named "no".*: ok, other/ });
    const { stdout } = await agentGauntlet(two, pauseOk, byPerson);
    expect(stdout).toContain("Paused ok for 3 turns.");
    const first = await stopAt(two, inTurn("1"));
    expect(first.result).toMatchObject({ status: "passed", gatesRun: 1 });
    expect(first.personMessage).toContain("not run: ok (skipped for this and 2 more turns)");
    const again = await stopAt(two, inTurn("1"));
    expect(again.personMessage).toContain("not run: ok");
    await two.write("src/worse", "x");
    const failed = await stopAt(two, inTurn("2"));
    expect(failed.result).toMatchObject({ status: "failed", attempt: 1 });
    expect(failed.result.gates.map(({ gate }) => gate)).toEqual(["other"]);
    expect((await agentGauntlet(two, ["status"])).stdout).toContain(
      "Paused ok for this and 1 more turn"
    );
  });

  test("counts as no pass of the gate, and closes none", async () => {
    const two = await project();
    expect(await statusAt(two, inTurn("1"))).toBe("failed");
    await agentGauntlet(two, pauseOk, byPerson);
    expect(await statusAt(two, inTurn("2"))).toBe("no_applicable_gates");
    expect(await two.state()).toMatchObject({ open: ["check:src:ok"], partial: true });
    expect((await two.state()).passed).toBeUndefined();
    await agentGauntlet(two, ["resume"]);
    expect(await statusAt(two, inTurn("3"))).toBe("failed");
  });

  test("is offered to the user at the end of the retries, and not to the agent", async () => {
    const two = await project();
    const config = await two.read(".gauntlet/config.yml");
    await two.write(".gauntlet/config.yml", `max_retries: 1\n${config}`);
    expect((await stopAt(two, inTurn("1"))).personMessage ?? "").not.toContain("pause");
    await two.write("src/new", "x");
    const { personMessage } = await stopAt(two, inTurn("1"));
    expect(personMessage).toContain('run "mux-stop-hooks pause --gate ok"');
  });

  test("is made for a run by the variable MUX_STOP_HOOKS_SKIP, which a stop does not read", async () => {
    const two = await project();
    const env = { MUX_STOP_HOOKS_SKIP: " ok, " };
    const { code, stdout } = await agentGauntlet(two, ["run"], { env });
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: /not run: ok/ });
    expect((await two.state()).passed).toBeUndefined();
    expect(
      await statusAt(two, inTurn("1", { env: { ...process.env, CI: undefined, ...env } }))
    ).toBe("failed");
    const wrong = await agentGauntlet(two, ["run"], { env: { MUX_STOP_HOOKS_SKIP: "no" } });
    expect(wrong).toMatchObject({ code: 1, stdout: /no gate named "no"/ });
  });
});

test("a pause is refused without a terminal, if a variable of an agent is set, and with invalid limits (G42)", async () => {
  const project = await brokenProject();
  const pause = (args: readonly string[] = [], options = byPerson) =>
    agentGauntlet(project, ["pause", ...args], options);
  expect(await pause([], {})).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("needs a terminal") as string,
  });
  for (const name of ["GAUNTLET_STOP_HOOK_ACTIVE", "MUX_HOOK_EVENT", ...AGENT_VARIABLES]) {
    const { code, stderr } = await pause([], { ...byPerson, env: { [name]: "1" } });
    expect(code).toBe(1);
    expect(stderr).toContain(name);
  }
  for (const limits of [
    ...["--turns 0", "--turns 101", "--turns 1.5", "--minutes 1441", "--minutes -1"],
    "--turns 1 --minutes 1",
  ]) {
    const { code } = await pause(limits.split(" "));
    expect([limits, code]).toEqual([limits, 2]);
  }
  expect(await statusAt(project)).toBe("failed");
});

test("an invalid record of a pause counts as none (G42)", async () => {
  const project = await brokenProject();
  await agentGauntlet(project, ["pause"], byPerson);
  const store = new TurnStore(project.runtime, project.path(".git"));
  const [key = ""] = await store.keys("pauses");
  expect(await store.read("pauses", key)).toMatchObject({ turns: 1 });
  for (const text of [
    "{",
    "[]",
    '{"since":"x","turns":1}',
    '{"since":"2026-01-01T00:00:00Z","until":"2036-01-01T00:00:00Z","turns":0}',
    '{"since":"2099-01-01T00:00:00Z","until":"2099-01-01T01:00:00Z","turns":0}',
    '{"since":"2026-01-01T00:00:00Z","turns":1e9}',
  ]) {
    const record = text.replace("{", `{"projectDir":${JSON.stringify(project.dir)},`);
    await project.write(`.git/agent-gauntlet/pauses/${key}.json`, record);
    expect(await store.read("pauses", key)).toBeUndefined();
  }
  expect(await statusAt(project)).toBe("failed");
});
