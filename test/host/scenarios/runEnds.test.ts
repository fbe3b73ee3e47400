import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { StopHookInput } from "@/node/services/hooks/contract/types";
import { ensureBuilt } from "@test/helpers/built";
import type { Reply } from "@test/host/model/ScriptedModel";
import { type Ended, HostRig } from "@test/host/rig/HostRig";
import { HostServer } from "@test/host/rig/HostServer";
import { newestHost, wholeHosts, type Host } from "@test/host/rig/hosts";
import { SteeredHook } from "@test/host/rig/SteeredHook";
import {
  agree,
  alwaysBlock,
  askOnce,
  block,
  continuation,
  stopHook,
} from "@test/host/rig/stopHooks";

beforeAll(ensureBuilt, 120_000);

const again = continuation("Create DONE.txt.");
/** The exit code of `run` if the budget is exceeded. */
const OVER_BUDGET = 2;

const OBJECTIVE = "Count all sheep.";
const busy = {
  name: "bash",
  input: { script: "true", timeout_secs: 10, run_in_background: false, display_name: "count" },
};
const complete = { name: "complete_goal", input: { summary: "All sheep are counted." } };

interface Run {
  readonly rig: HostRig;
  readonly ended: Ended;
}

async function run(host: Host, replies: readonly Reply[], ...args: string[]): Promise<Run> {
  const rig = await HostRig.create(host, { replies, settings: askOnce });
  return { rig, ended: await rig.run(...args) };
}

/** Returns how each turn began. */
function begun({ model }: HostRig): string[] {
  return model.said.flatMap((said) => {
    if (said === "") return [];
    if (said.includes(continuation("More."))) return ["continuation"];
    return [said.includes(OBJECTIVE) ? "goal" : "user"];
  });
}

describe.each(wholeHosts)("mux run in $name", (host) => {
  test("fails if the model is overloaded in a continuation", async () => {
    const { rig, ended } = await run(host, [{ text: "One." }, { status: 529, times: 99 }]);
    expect(rig.model.said.slice(0, 2)).toEqual(["Say hello", again]);
    expect(ended.stdout).toContain("One.");
    expect(ended.stderr).toContain("continuation that the Stop hooks requested");
    expect(ended.code).toBe(1);
  });

  test("applies its budget to a continuation", async () => {
    const { rig, ended } = await run(
      host,
      [{ text: "One." }, { text: "Two.", tokens: 100_000 }],
      "--budget",
      "0.1"
    );
    expect(ended.code).toBe(OVER_BUDGET);
    expect(ended.stdout).toContain("Budget exceeded");
    expect(rig.model.said).toEqual(["Say hello", again]);
  });
});

describe.each(newestHost)("mux run in $name", (host) => {
  test("is not sent back after its budget is spent", async () => {
    const { rig, ended } = await run(
      host,
      [{ text: "One.", tokens: 100_000 }, { text: "Two." }],
      "--budget",
      "0.1"
    );
    expect(ended.code).toBe(OVER_BUDGET);
    expect(rig.model.said).toEqual(["Say hello"]);
  });

  test("exits with the code for an exceeded budget if all turns together exceed it", async () => {
    const rig = await HostRig.create(host, {
      settings: alwaysBlock,
      replies: [{ text: "Done.", tokens: 20_000, times: 9 }],
    });
    const ended = await rig.run("--budget", "0.1");
    expect(ended.code).toBe(OVER_BUDGET);
    // The host does not report that the second turn exceeded it, so the loop guard is the limit.
    expect(rig.model.said).toHaveLength(4);
  });

  if (host.knowsGoals) {
    test("continues a goal over several turns, with hooks after each of them (H25)", async () => {
      const hook = await SteeredHook.create();
      const rig = await HostRig.create(host, {
        settings: stopHook(hook.command),
        replies: [
          { when: ({ said }) => said.includes(OBJECTIVE), tools: [busy] },
          { when: ({ said }) => said.includes("More."), tools: [busy], times: 2 },
          { when: ({ said }) => said.includes(OBJECTIVE), tools: [complete] },
          { text: "Some sheep are counted.", times: 9 },
        ],
      });
      const running = rig.run("--goal", OBJECTIVE, "--goal-turns", "9");
      const inputs: StopHookInput[] = [];
      for (const answer of [block("More."), agree, block("More."), agree, agree]) {
        const run = await hook.runs();
        inputs.push(run.input);
        run.answer(answer);
      }
      const ended = await running;
      expect(ended.code).toBe(0);
      expect(begun(rig)).toEqual(["user", "continuation", "goal", "continuation", "goal"]);
      expect(hook.count).toBe(5);
      const active = inputs.map(({ stop_hook_active }) => stop_hook_active);
      expect(active).toEqual([false, true, false, true, false]);
      expect(new Set(inputs.map(({ prompt_id }) => prompt_id)).size).toBe(1);
    });

    test("checks the turns of a goal after the retry limit, and does not send them back (G19)", async () => {
      const edit = (script: string) => ({ ...busy, input: { ...busy.input, script } });
      const rig = await HostRig.create(host, {
        files: {
          ".gauntlet/config.yml":
            "base_branch: main\nmax_retries: 0\nentry_points:\n  - path: src\n    checks: [ok]\n",
          ".gauntlet/checks/ok.yml": 'command: echo >> "$TMPDIR/runs"; test ! -e bad\n',
          "src/good": "good\n",
        },
        replies: [
          { when: ({ said }) => said === "Say hello", tools: [edit("echo > src/bad")] },
          { when: ({ said }) => said.includes(OBJECTIVE), tools: [edit("echo > src/more")] },
          { when: ({ said }) => said.includes(OBJECTIVE), tools: [complete] },
          { text: "Some sheep are counted.", times: 9 },
        ],
      });
      const ended = await rig.run("--goal", OBJECTIVE, "--goal-turns", "9");
      expect(rig.model.said.filter((said) => said.includes("Stop hook requested"))).toEqual([]);
      expect(ended.stderr.match(/retry limit exceeded/g)).toHaveLength(3);
      expect(await readFile(join(String(rig.env.TMPDIR), "runs"), "utf8")).toBe("\n".repeat(3));
    });
  }
});

describe.each(newestHost)("mux server in $name", (host) => {
  test("runs hooks for the next turn after a failed continuation (H28)", async () => {
    const hook = await SteeredHook.create();
    const replies = [{ text: "One." }, { status: 400 }, { text: "Three." }];
    const rig = await HostRig.create(host, { replies, settings: stopHook(hook.command) });
    const chat = await (await HostServer.start(rig)).openChat();
    await chat.send("Say hello");
    (await hook.runs()).answer(block("More."));
    expect(await chat.answer()).toBe("One.");
    await chat.next("stream-error");
    await chat.send("Thank you");
    const { input, answer } = await hook.runs();
    expect(input).toMatchObject({ stop_hook_active: false, last_assistant_message: "Three." });
    answer(agree);
    expect(await chat.answer()).toBe("Three.");
    expect(hook.count).toBe(2);
  });
});
