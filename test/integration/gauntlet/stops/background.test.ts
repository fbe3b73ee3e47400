import { describe, expect, test } from "vitest";
import { agentGauntlet } from "@test/helpers/gauntlet/agentGauntlet";
import { start } from "@test/helpers/gauntlet/stopHookCommand";
import { statusAt, stopAt, type StopOptions } from "@test/helpers/gauntlet/stops";
import { beginTurn, brokenProject } from "@test/helpers/gauntlet/projects";
import "@test/helpers/freshBuild";

const task = (id: string, type = "subagent", more = {}) => ({ id, type, ...more });
const inTurn = (turnId: string, ...backgroundTasks: unknown[]): StopOptions => ({
  ...{ sessionId: "s", turnId, backgroundTasks },
});

describe("a stop with agents in the background (G39)", () => {
  test("is postponed, and the user sees it at the stop, at the next turn and in status, until a stop is checked", async () => {
    const project = await brokenProject();
    const begin = () => beginTurn(project, { sessionId: "s" });
    const status = async () => (await agentGauntlet(project, ["status"])).stdout;
    expect(await begin()).toBeUndefined();
    const { result, personMessage } = await stopAt(project, inTurn("1", task("a"), task("b")));
    expect(result.status).toBe("postponed");
    expect(personMessage).toBe(
      "postponed, because the agent waits for 2 agents in the background; the changes are not verified yet"
    );
    expect(await project.logs()).toEqual([]);
    const unchecked = { ...inTurn("1"), stopHookActive: true, verify: false };
    expect((await stopAt(project, unchecked)).result).toMatchObject({
      status: "stop_hook_active",
      caveat: "an earlier stop was postponed, and the changes were not verified since then",
    });
    expect(await begin()).toContain("was postponed");
    expect(await status()).toContain("Not verified: a stop was postponed");
    await stopAt(project, inTurn("1"));
    expect(await begin()).toBeUndefined();
    expect(await status()).not.toContain("Not verified");
  });

  test("is not postponed if there is nothing to check", async () => {
    const project = await brokenProject();
    await project.remove("src/bad");
    const waiting = await stopAt(project, inTurn("1", task("a")));
    expect(waiting.result.status).toBe("no_changes");
    expect(waiting.personMessage).not.toContain("postponed");
    await project.write("src/good", "x");
    expect(await statusAt(project, inTurn("1"))).toBe("passed");
    expect(await statusAt(project, inTurn("2", task("b")))).toBe("no_changes");
    await project.write("src/good", "y");
    expect(await statusAt(project, inTurn("2", task("c")))).toBe("postponed");
  });

  test("is checked if none of them is new since the last stop, and is postponed at most twice in a turn of the user", async () => {
    const project = await brokenProject();
    expect(await statusAt(project, inTurn("1", task("a")))).toBe("postponed");
    expect(await statusAt(project, inTurn("1", task("a")))).toBe("failed");
    expect(await statusAt(project, inTurn("2", task("a")))).toBe("failed");
    const statuses = [];
    for (const id of ["b", "c", "d"]) statuses.push(await statusAt(project, inTurn("3", task(id))));
    statuses.push(await statusAt(project, inTurn("4", task("e", "workflow"))));
    expect(statuses).toEqual(["postponed", "postponed", "failed", "postponed"]);
  });

  test("is checked if no entry is an agent that works, and if the caller ends with the stop", async () => {
    const project = await brokenProject();
    const tasks = [
      ...[task("a", "shell"), task("b", "monitor"), task("c", "subagent", { status: "completed" })],
      ...[{ type: "subagent" }, null, 3, "subagent", [], { id: 3, type: "subagent" }],
    ];
    expect(await statusAt(project, inTurn("1", ...tasks))).toBe("failed");
    const request = { ...inTurn("1", task("a")), isHeadless: true };
    expect(await statusAt(project, request)).toBe("failed");
  });

  test("is checked if it cannot be recorded", async () => {
    const project = await brokenProject();
    await project.write(".git/agent-gauntlet", "not a folder");
    // A failed stop that cannot be counted does not block either (G19).
    const { result, personMessage } = await stopAt(project, inTurn("1", task("a")));
    expect(result.status).toBe("infrastructure_error");
    expect(personMessage).toContain("this stop is allowed");
  });

  test("does not pass the retry limit", async () => {
    const project = await brokenProject("max_retries: 0\n");
    expect(await statusAt(project, inTurn("1"))).toBe("retry_limit_exceeded");
    expect(await statusAt(project, inTurn("1", task("a")))).toBe("retry_limit_exceeded");
  });
});

test.each<[string, object, RegExp, RegExp]>([
  [
    "claude",
    { session_id: "s", hook_event_name: "UserPromptSubmit", effort: {} },
    /^\{"systemMessage":"Gauntlet: the last stop was postponed/,
    /"hookEventName":"UserPromptSubmit".* run\\". If it passes and no file changes/,
  ],
  ["copilot", { sessionId: "s", transcriptPath: "/t", stopReason: "end_turn" }, /^$/, /^$/],
])(
  "turn-start tells the user of a postponed stop, and the agent once that its own run counts, if the host shows it: %s (G27a, G39)",
  async (_, input, postponed, told) => {
    const project = await brokenProject();
    const turnStart = async (): Promise<string> => {
      const command = await start(project.dir, { command: "turn-start" });
      const { code, stdout, stderr } = await command.close(
        JSON.stringify({ ...input, prompt: "Go." })
      ).end;
      expect([code, stderr]).toEqual([0, ""]);
      return stdout;
    };
    expect(await turnStart()).toBe("");
    await stopAt(project, inTurn("1", task("a")));
    expect(await turnStart()).toMatch(postponed);
    await project.remove("src/bad");
    await project.write("src/b.txt", "fine\n");
    const { answered } = await stopAt(project, { sessionId: "s", startedAt: Date.now() });
    await answered?.();
    expect(await turnStart()).toMatch(told);
    expect(await turnStart()).toBe("");
  }
);
