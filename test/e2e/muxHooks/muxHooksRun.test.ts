import { access, readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { group, HookProject, says } from "@test/helpers/hooks/hookProject";
import { muxHooks, writeTurns, type CallOptions, type Called } from "@test/helpers/hooks/muxHooks";
import { makeGate } from "@test/helpers/process/processes";

interface Play extends CallOptions {
  stop?: readonly unknown[];
  turns: string;
  args?: readonly string[];
}

async function play(
  project: HookProject,
  { stop = [], turns, args = [], ...options }: Play
): Promise<Called> {
  await project.configure({ hooks: { Stop: [group(stop as string[])] } });
  const script = await writeTurns(project, turns);
  return await muxHooks(project, ["run", "--script", script, ...args, "Please."], options);
}

/** Returns the output without times and column widths. */
function told({ stdout }: Called): string {
  return stdout.replaceAll(/ *\d+(\.\d)?m?s /g, " (time) ").replaceAll(/─{2,}/g, "──");
}

test("prints a session step by step, with the exact messages to the agent", async () => {
  const project = await HookProject.create();
  const called = await play(project, {
    stop: [
      {
        command:
          "test -e done || { echo 'No file.'; echo 'Make one.'; } >&2; test -e done || exit 2",
        statusMessage: "Looking for done",
      },
    ],
    turns: `
turns:
  - All is done.
  - - say: So be it.
    - bash: touch done
    - say: Now it is.
`,
  });
  expect(called.code).toBe(0);
  expect(told(called)).toBe(`
── you → agent ──
Please.

── agent ──
All is done.

Stop: 1 hook
  … project:Stop[0]     running               Looking for done
  ✖ project:Stop[0]     block (time)  Looking for done

── hooks → agent (continuation 1) ──
[Stop hook requested continuation]
No file.
Make one.

── agent ──
So be it.
  ▸ bash: touch done
    exit 0
Now it is.

Stop: 1 hook
  … project:Stop[0]     running               Looking for done
  ✔ project:Stop[0]     pass (time)  Looking for done

── end ──
The turn ended: the hooks allowed the stop, after 1 continuation.
`);
});

test.each<{ what: string; play: Play; shown: RegExp[]; code?: number; hidden?: string }>([
  {
    what: "warnings of hooks",
    play: { stop: ["echo oops >&2; exit 1"], turns: "turns: [Done.]" },
    shown: [
      /! project:Stop\[0\] +failed/,
      /warning: project:Stop\[0\] \(echo oops >&2; exit 1\): failed with exit code 1: oops/,
    ],
  },
  {
    what: "the limit of continuations (H26)",
    play: { stop: ["echo never >&2; exit 2"], turns: "turns: []" },
    shown: [
      /(?:hooks → agent[^]*){3}which is the limit \(stopHooks\.maxContinuations\)/,
      /The turn ended: the limit of continuations was reached while hooks still blocked the stop, after 3 continuations\.\n$/,
    ],
    hidden: "continuation 4",
  },
  {
    what: "the hook that ends the turn (H16)",
    play: {
      stop: ["exit 2", says({ continue: false, stopReason: "Out of time." })],
      turns: "turns: [Done.]",
    },
    shown: [
      / {2}Out of time\.\n[^]*The turn ended: project:Stop\[1\] returned continue: false\.\n$/,
    ],
  },
  {
    what: "an error of the turn, which runs no hook (H28)",
    play: { stop: ["exit 2"], turns: "turns: [[{ say: Hm. }, { fail: the model is gone }]]" },
    shown: [/error: the model is gone\n[^]*The turn ended: an error \(the model is gone\)\.\n$/],
    code: 1,
    hidden: "Stop: 1 hook",
  },
  {
    what: "that there are no hooks",
    play: { turns: "turns: [Done.]" },
    shown: [/Done\.\n\n── end .*\nThe turn ended: no hook ran\.\n$/],
  },
  {
    what: "that the project is not trusted (H32)",
    play: { stop: ["exit 2"], turns: "turns: [Done.]", env: { MUX_HOOKS_TRUST: "" } },
    shown: [/"mux-stop-hooks hooks trust" to allow it/],
    hidden: "hooks → agent",
  },
])("prints $what", async ({ play: played, shown, code = 0, hidden = "continuation 4" }) => {
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
  ["turns: [{ sya: Hello. }]", /turns\.yml:1:\d+: turns\[0\]/],
  ["turns: [", /turns\.yml:\d+:\d+: /],
])("reports where a file of turns is wrong: %j", async (turns, place) => {
  const called = await play(await HookProject.create(), { turns });
  expect(called).toMatchObject({ code: 1, stdout: "" });
  expect(called.stderr).toMatch(/^mux-stop-hooks: .*\n$/);
  expect(called.stderr).toMatch(place);
});

test("prints one line and exits with 1 if the file of turns does not exist", async () => {
  const project = await HookProject.create();
  const { code, stderr } = await muxHooks(project, ["run", "--script", "nope.yml", "Please."]);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^mux-stop-hooks: \S+nope\.yml:1:1: .*\n$/);
});

test("Ctrl-C ends the hooks and the turn (H22)", async () => {
  const project = await HookProject.create();
  const started = await makeGate(project.session, "started");
  let interrupt = (): void => undefined;
  const call = play(project, {
    stop: [`echo > ${started.path}; sleep 60; exit 2`],
    turns: "turns: [Done.]",
    prepare: (context) => (interrupt = context.interrupt),
  });
  await readFile(started.path);
  interrupt();
  const { code, stdout } = await call;
  expect(code).toBe(130);
  expect(stdout).not.toContain("hooks → agent");
  expect(stdout).toMatch(/The turn ended: interrupted\.\n$/);
});

test("Ctrl-C ends a command of the agent as well", async () => {
  const project = await HookProject.create();
  const started = await makeGate(project.session, "started");
  let interrupt = (): void => undefined;
  const call = play(project, {
    stop: ["touch asked"],
    turns: `turns: [[{ bash: "echo > ${started.path}; sleep 60" }]]`,
    prepare: (context) => (interrupt = context.interrupt),
  });
  await readFile(started.path);
  interrupt();
  expect((await call).code).toBe(130);
  await expect(access(join(project.dir, "asked"))).rejects.toThrow("ENOENT");
});
