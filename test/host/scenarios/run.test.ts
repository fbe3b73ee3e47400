import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { StopHookInput } from "@/node/services/hooks/contract/types";
import { type Ended, HostRig, NO_TRUST_VARIABLE } from "@test/host/rig/HostRig";
import { newestHost, wholeHosts } from "@test/host/rig/hosts";
import { SteeredHook } from "@test/host/rig/SteeredHook";
import {
  agree,
  alwaysBlock,
  askOnce,
  block,
  continuation,
  stopHook,
} from "@test/host/rig/stopHooks";

const replies = [{ text: "I am finished." }, { text: "Now really finished." }];
const again = continuation("Create DONE.txt.");
/** The exit code of `run` if the budget is exceeded. */
const OVER_BUDGET = 2;

const OBJECTIVE = "Count all sheep.";
const tool = (script: string) => ({
  name: "bash",
  input: { script, timeout_secs: 10, run_in_background: false, display_name: "count" },
});
const complete = { name: "complete_goal", input: { summary: "All sheep are counted." } };

/** Returns how each turn began. */
function begun({ model }: HostRig): string[] {
  return model.said.flatMap((said) => {
    if (said === "") return [];
    if (said.includes(continuation("More."))) return ["continuation"];
    return [said.includes(OBJECTIVE) ? "goal" : "user"];
  });
}

describe.each(wholeHosts)("mux run in $name", (host) => {
  test("sends the agent back once, and prints the text of the last turn (H18)", async () => {
    const env = { MUX_HOOKS_UNVERIFIED_EXIT: "9" };
    const rig = await HostRig.create(host, { replies, settings: askOnce, env });
    const ended = await rig.run();
    expect(rig.model.said).toEqual(["Say hello", again]);
    expect(ended.stdout).toContain("Now really finished.");
    expect(ended.code).toBe(0);
  });

  test("runs only the user's hooks in an untrusted project, and prints one line about it (H31)", async () => {
    const userSettings = stopHook("echo > ran");
    const how = { replies, settings: askOnce, userSettings, trusted: false };
    const rig = await HostRig.create(host, how);
    const ended = await rig.run();
    expect(rig.model.said).toEqual(["Say hello"]);
    expect(existsSync(rig.path("ran"))).toBe(true);
    expect(ended.stderr.match(/^\[mux-stop-hooks\].*trust.*$/gm)).toHaveLength(1);
    expect(ended.code).toBe(0);
    if (!host.knowsTrust) return;
    rig.model.begin(replies);
    rig.env.MUX_HOOKS_TRUST = "always";
    await rig.run();
    expect(rig.model.said).toEqual(["Say hello"]);
  });
});

describe.each(newestHost)("mux run in $name", (host) => {
  const openAskOnce = async (): Promise<HostRig> =>
    await HostRig.create(host, { replies, settings: askOnce });

  test("prints only the last turn with --quiet, and both as events with --json", async () => {
    const rig = await openAskOnce();
    const quiet = await rig.run("--quiet");
    expect(rig.model.said).toEqual(["Say hello", again]);
    // Older hosts print every word on a separate line.
    expect(quiet.stdout.trim().split(/\s+/).join(" ")).toBe("Now really finished.");
    expect(quiet.code).toBe(0);

    rig.model.begin(replies);
    const { stdout, code } = await rig.run("--json");
    const lines = stdout.trim().split("\n");
    const types = lines.map((line) => (JSON.parse(line) as { payload?: { type: string } }).payload);
    expect(types.filter((payload) => payload?.type === "stream-end")).toHaveLength(2);
    expect(code).toBe(0);
  });

  test("stops after three blocks of a hook that always blocks, with an exit code of its own if wanted (H26)", async () => {
    const rig = await HostRig.create(host, {
      replies: [{ text: "Done.", times: 10 }],
      settings: alwaysBlock,
      env: { MUX_HOOKS_UNVERIFIED_EXIT: "9" },
    });
    const ended = await rig.run();
    const never = continuation("Never enough.");
    expect(rig.model.said).toEqual(["Say hello", never, never, never]);
    expect(ended.code).toBe(9);
    expect(ended.stderr).toContain(
      "not verified, so the exit code is 9: the agent stops now, after 3"
    );

    rig.model.begin([{ text: "Done.", tokens: 20_000, times: 9 }]);
    // The host does not report that the second turn exceeded it, so the loop guard is the limit.
    expect((await rig.run("--budget", "0.1")).code).toBe(OVER_BUDGET);
    expect(rig.model.said).toHaveLength(4);
  });

  test("applies its budget to a continuation, and is not sent back after it is spent", async () => {
    const rig = await openAskOnce();
    rig.model.begin([{ text: "One." }, { text: "Two.", tokens: 100_000 }]);
    const ended = await rig.run("--budget", "0.1");
    expect(ended.code).toBe(OVER_BUDGET);
    expect(ended.stdout).toContain("Budget exceeded");
    expect(rig.model.said).toEqual(["Say hello", again]);

    rig.model.begin([{ text: "One.", tokens: 100_000 }, { text: "Two." }]);
    expect((await rig.run("--budget", "0.1")).code).toBe(OVER_BUDGET);
    expect(rig.model.said).toEqual(["Say hello"]);
  });

  test("runs no hooks if the first turn fails, or if a hook started the host (H28)", async () => {
    const rig = await openAskOnce();
    const bare = await HostRig.create(host, { replies: [], plugin: false });
    for (const each of [rig, bare]) each.model.begin([{ status: 400, times: 10 }]);
    rig.env.MUX_HOOKS_TRUST = undefined;
    const [attached, alone] = [await rig.run(), await bare.run()];
    expect([attached.code, attached.stdout]).toEqual([alone.code, alone.stdout]);
    expect(rig.model.said).toEqual(bare.model.said);
    expect(attached.code).not.toBe(0);

    rig.model.begin(replies);
    Object.assign(rig.env, { MUX_HOOKS_TRUST: "always", MUX_HOOK_EVENT: "Stop" });
    await rig.run();
    expect(rig.model.said).toEqual(["Say hello"]);
  });

  test("prints the card of a hook that agrees, and otherwise the same output as without hooks or the plugin (H24)", async () => {
    const hook = await SteeredHook.create();
    const userSettings = stopHook(hook.command);
    const rig = await HostRig.create(host, { replies, userSettings, env: NO_TRUST_VARIABLE });
    const bare = await HostRig.create(host, { replies, settings: askOnce, plugin: false });
    const idle = await HostRig.create(host, { replies });
    const running = rig.run();
    const { input, answer } = await hook.runs();
    expect(input).toMatchObject({ cwd: rig.project, last_assistant_message: "I am finished." });
    answer(agree);
    const [attached, alone] = [await running, await bare.run()];
    const isCard = /Stop hook: |^exit:0 /;
    const lines = ({ stdout }: Ended): string[] => stdout.split("\n").filter((line) => line !== "");
    // The imitated hosts print no tool calls.
    const isReal = process.env.MUX_DIST !== undefined;
    expect(lines(attached).some((line) => isCard.test(line))).toBe(isReal);
    expect(lines(attached).filter((line) => !isCard.test(line))).toEqual(lines(alone));
    expect(attached).toMatchObject({ code: alone.code, stderr: alone.stderr });
    expect(hook.count).toBe(1);
    expect(await idle.run()).toEqual(alone);
    const bodies = ({ model, folder }: HostRig): string[] =>
      model.requests.map(({ body }) =>
        body.replaceAll(new RegExp(`${folder}|run-[\\w-]+`, "g"), "")
      );
    expect(bodies(idle)).toEqual(bodies(bare));
    expect(bare.model.said).toEqual(["Say hello"]);
  });

  test("asks the model of the turn for a prompt hook, and sends the agent back with its reason (H43)", async () => {
    const rig = await HostRig.create(host, {
      replies: [
        { text: "I am finished." },
        { text: '{"ok": false, "reason": "Create DONE.txt."}' },
        { text: "Now really finished." },
        { text: '{"ok": true}' },
      ],
      settings: stopHook({ type: "prompt", prompt: "Is DONE.txt there?" }),
    });
    const ended = await rig.run();
    expect(ended.code).toBe(0);
    expect(ended.stdout).toContain("Now really finished.");
    const [first, question, third] = rig.model.requests;
    expect(first?.said).toBe("Say hello");
    expect(question?.said).toMatch(/Is DONE\.txt there\?\n\n\{.*"I am finished\."/);
    expect((JSON.parse(question!.body) as { model: string }).model).toBe(
      (JSON.parse(first!.body) as { model: string }).model
    );
    expect(third?.said).toBe(again);
    expect(rig.model.requests).toHaveLength(4);
  });

  if (!host.knowsGoals) return;
  test("continues a goal over several turns, with hooks after each of them (H25)", async () => {
    const hook = await SteeredHook.create();
    const rig = await HostRig.create(host, {
      settings: stopHook(hook.command),
      replies: [
        { when: ({ said }) => said.includes(OBJECTIVE), tools: [tool("true")] },
        { when: ({ said }) => said.includes("More."), tools: [tool("true")], times: 2 },
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
    const rig = await HostRig.create(host, {
      files: {
        ".gauntlet/config.yml":
          "base_branch: main\nmax_retries: 0\nentry_points:\n  - path: src\n    checks: [ok]\n",
        ".gauntlet/checks/ok.yml": 'command: echo >> "$TMPDIR/runs"; test ! -e bad\n',
        "src/good": "good\n",
      },
      replies: [
        { when: ({ said }) => said === "Say hello", tools: [tool("echo > src/bad")] },
        { when: ({ said }) => said.includes(OBJECTIVE), tools: [tool("echo > src/more")] },
        { when: ({ said }) => said.includes(OBJECTIVE), tools: [complete] },
        { text: "Some sheep are counted.", times: 9 },
      ],
    });
    const ended = await rig.run("--goal", OBJECTIVE, "--goal-turns", "9");
    expect(rig.model.said.filter((said) => said.includes("Stop hook requested"))).toEqual([]);
    expect(ended.stderr.match(/retry limit exceeded/g)).toHaveLength(3);
    expect(await readFile(join(String(rig.env.TMPDIR), "runs"), "utf8")).toBe("\n".repeat(3));
  });
});
