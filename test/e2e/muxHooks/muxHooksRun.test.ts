import { access, readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { group, HookProject, says } from "@test/helpers/hooks/hookProject";
import { muxHooks, writeTurns, type CallOptions } from "@test/helpers/hooks/muxHooks";
import { makeGate } from "@test/helpers/process/processes";

interface Play extends CallOptions {
  stop?: readonly unknown[];
  turns: string;
  args?: readonly string[];
}

async function play(project: HookProject, { stop = [], turns, args = [], ...options }: Play) {
  await project.configure({ hooks: { Stop: [group(stop as string[])] } });
  const script = await writeTurns(project, turns);
  return await muxHooks(project, ["run", "--script", script, ...args, "Please."], options);
}

const DONE = "turns: [Done.]";
const FAILING = "turns: [[{ say: Hm. }, { fail: the model is gone }]]";

test.each<[what: string, play: Play, shown: RegExp[], hidden?: string, code?: number]>([
  [
    "warnings of hooks",
    { stop: ["echo oops >&2; exit 1"], turns: DONE },
    [
      /! project:Stop\[0\] +failed/,
      /warning: project:Stop\[0\] \(echo oops >&2; exit 1\): failed with exit code 1: oops/,
    ],
  ],
  [
    "the limit of continuations (H26)",
    { stop: ["echo never >&2; exit 2"], turns: "turns: []" },
    [
      /(?:hooks → agent[^]*){3}which is the limit \(stopHooks\.maxContinuations\)/,
      /The turn ended: the limit of continuations was reached while hooks still blocked the stop, after 3 continuations\.\n$/,
    ],
  ],
  [
    "the hook that ends the turn (H16)",
    { stop: ["exit 2", says({ continue: false, stopReason: "Out of time." })], turns: DONE },
    [/ {2}Out of time\.\n[^]*The turn ended: project:Stop\[1\] returned continue: false\.\n$/],
  ],
  [
    "an error of the turn, which runs no hook (H28)",
    { stop: ["exit 2"], turns: FAILING },
    [/error: the model is gone\n[^]*The turn ended: an error \(the model is gone\)\.\n$/],
    "Stop: 1 hook",
    1,
  ],
  [
    "that there are no hooks",
    { turns: DONE },
    [/Done\.\n\n── end .*\nThe turn ended: no hook ran\.\n$/],
  ],
  [
    "that the project is not trusted (H32)",
    { stop: ["exit 2"], turns: DONE, env: { MUX_HOOKS_TRUST: "" } },
    [/"mux-stop-hooks hooks trust" to allow it/],
    "hooks → agent",
  ],
])("prints %s", async (_, played, shown, hidden = "continuation 4", code = 0) => {
  const called = await play(await HookProject.create(), played);
  expect(called.code).toBe(code);
  for (const text of shown) expect(called.stdout).toMatch(text);
  expect(called.stdout).not.toContain(hidden);
});

test("shows the hooks of a sub-agent, and gives its parent only the last report (H28a)", async () => {
  const project = await HookProject.create();
  await project.configure({
    hooks: {
      SubagentStop: [group(['test "$MUX_CONTINUATION" = 1 || { echo Deeper. >&2; exit 2; }'])],
    },
  });
  const script = await writeTurns(
    project,
    `
turns:
  - - task: { agent: explore, prompt: Look., turns: [First., Second.] }
    - say: Done.
`
  );
  const { code, stdout } = await muxHooks(project, ["run", "--script", script, "Please."]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/▸ task: Look\./);
  expect(stdout).toMatch(/SubagentStop: 1 hook\n.*\n.*✖ project:SubagentStop\[0\]/);
  expect(stdout).toMatch(/SubagentStop: 1 hook\n.*\n.*✔ project:SubagentStop\[0\]/);
  expect(stdout).toMatch(/\n {4}Second\.\n/);
  expect(stdout).not.toContain("First.");
});

test("keeps the session folder that --session-dir names, and removes it otherwise", async () => {
  const project = await HookProject.create();
  const played = { stop: ['dirname "$MUX_TRANSCRIPT_PATH" > where'], turns: "turns: [Done.]" };
  await play(project, { ...played, args: ["--session-dir", "kept"] });
  expect((await readdir(project.path("kept"))).sort()).toEqual(["chat.jsonl", "hook-runs.jsonl"]);
  expect(await project.read("kept", "chat.jsonl")).toContain("Please.");
  await play(project, played);
  await expect(access((await project.read("where")).trim())).rejects.toThrow("ENOENT");
});

test.each([
  ["turns: [{ sya: Hello. }]", [], /\S+turns\.yml:1:\d+: turns\[0\]/],
  ["turns: [", [], /\S+turns\.yml:\d+:\d+: /],
  ["turns: []", ["--script", "nope.yml"], /\S+nope\.yml:1:1: /],
])("reports where a file of turns is wrong: %j %j", async (turns, args, place) => {
  const called = await play(await HookProject.create(), { turns, args });
  expect(called).toMatchObject({ code: 1, stdout: "" });
  expect(called.stderr).toMatch(/^mux-stop-hooks: .*\n$/);
  expect(called.stderr).toMatch(place);
});

test.each([
  ["the hooks", ["echo > STARTED; sleep 60; exit 2"], DONE],
  ["a command of the agent", ["touch asked"], 'turns: [[{ bash: "echo > STARTED; sleep 60" }]]'],
])("Ctrl-C ends %s and the turn (H22)", async (_, stop, turns) => {
  const project = await HookProject.create();
  const { path } = await makeGate(project.session, "started");
  let interrupt = (): void => undefined;
  const call = play(project, {
    stop: stop.map((line) => line.replace("STARTED", path)),
    turns: turns.replace("STARTED", path),
    prepare: (context) => (interrupt = context.interrupt),
  });
  await readFile(path);
  interrupt();
  const { code, stdout } = await call;
  expect(code).toBe(130);
  expect(stdout).not.toContain("hooks → agent");
  expect(stdout).toMatch(/The turn ended: interrupted\.\n$/);
  await expect(access(join(project.dir, "asked"))).rejects.toThrow("ENOENT");
});
