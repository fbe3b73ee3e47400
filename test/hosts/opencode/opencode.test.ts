/** Hooks in the real opencode, which is not run by `make test`. The model is a script. */
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agentGauntletBin, muxHooksBin, repository } from "@test/helpers/built";
import { isAlive, readPids } from "@test/helpers/process/processes";
import { OpencodeRig } from "@test/hosts/opencode/OpencodeRig";
import { commandOf } from "@test/hosts/rig/installed";
import { expectSoon } from "@test/helpers/soon";

const IS_TESTED = commandOf("opencode") !== undefined;

/** One check, which passes if the file `fixed` exists. */
const GAUNTLET = {
  ".gauntlet/config.yml":
    'base_branch: main\nmax_retries: 1\nentry_points:\n  - { path: ., checks: [fixed: { command: "test -e fixed" }] }\n',
};

function settings(event: string, command: string): Readonly<Record<string, string>> {
  const hooks = { [event]: [{ hooks: [{ type: "command", command, timeout: 20 }] }] };
  return { ".mux/settings.json": JSON.stringify({ hooks }) };
}

const pluginIn = (folder: string): string =>
  `export { default } from ${JSON.stringify(join(folder, "dist/opencode.js"))};\n`;

const shell = (command: string) => ({
  tools: [{ name: "bash", input: { command, description: "x" } }],
});
const CHANGE = shell("echo b > b.txt");
const FIX = shell("echo > fixed");
const SENT_BACK = "[Stop hook requested continuation]\n";

describe.runIf(IS_TESTED)("in `opencode run`", { timeout: 300_000 }, () => {
  test("a failing check sends the agent back once, and the fix passes", async () => {
    const rig = await OpencodeRig.create({
      files: GAUNTLET,
      replies: [CHANGE, { text: "I am done." }, FIX, { text: "I have fixed it." }],
    });
    const { code, stderr } = await rig.run("Do it.");
    expect(code).toBe(0);
    const [first, , third] = rig.said;
    expect([first, rig.said.length]).toEqual([expect.stringContaining("Do it."), 4]);
    expect(third).toContain(SENT_BACK);
    expect(third).toContain("check:.:fixed");
    expect(stderr).toContain("mux-stop-hooks: the Stop hooks sent the agent back to work");
    expect(stderr).toContain("I have fixed it.");
  });

  test("a personal plugin and a team's copy of it send the agent back once for each stop", async () => {
    const rig = await OpencodeRig.create({
      files: {
        ...GAUNTLET,
        ".gitignore": "node_modules\n",
        "~/.config/opencode/plugins/agent-gauntlet.js": pluginIn(repository),
        // As `init --shared` writes it.
        ".opencode/plugins/stop-hooks.js": pluginIn("../../node_modules/mux-stop-hooks"),
      },
      replies: [CHANGE, { text: "I am done." }, FIX, { text: "I have fixed it.", times: 2 }],
    });
    for (const path of ["dist", "package.json", "node_modules/neverthrow"]) {
      const copy = join(rig.project, "node_modules/mux-stop-hooks", path);
      await cp(join(repository, path), copy, { recursive: true });
    }
    const { code, stderr } = await rig.run("Do it.");
    expect([code, rig.said.filter((said) => said.startsWith(SENT_BACK)).length], stderr).toEqual([
      0, 1,
    ]);
    expect(rig.said).toHaveLength(4);
    expect(stderr).toContain("I have fixed it.");
  });

  test("the hook that `init` installed runs without another step, and the log ends with its pass", async () => {
    const rig = await OpencodeRig.create({
      files: { ".opencode/plugins/stop-hooks.js": "export {};\n" },
      replies: [
        ...[shell("echo '<<<<<<< HEAD' > b.txt"), { text: "I am done." }],
        ...[shell("rm b.txt"), { text: "I have fixed it." }],
      ],
      trusted: false,
    });
    const installed = await rig.call(agentGauntletBin, "init", "--hook", "opencode");
    expect(installed).toContain("opencode now trusts the hooks of this project");
    expect(await rig.call(agentGauntletBin, "doctor")).toContain("No problems.");
    const { code, stderr } = await rig.run("Do it.");
    expect([code, rig.said.map((said) => said.startsWith(SENT_BACK))], stderr).toEqual([
      0,
      [false, false, true, false],
    ]);
    const lines = (await rig.call(muxHooksBin, "log")).trimEnd().split("\n");
    expect(lines).toEqual([expect.stringMatching(/ block /), expect.stringMatching(/ pass /)]);
  });

  test("a trusted hook of the project sends the agent back up to the limit of continuations", async () => {
    const rig = await OpencodeRig.create({
      files: settings("Stop", "echo run >> runs; echo 'Not yet.' >&2; exit 2"),
      replies: [{ text: "I am done.", times: 9 }],
    });
    const { stderr } = await rig.run("Do it.");
    expect([rig.said.length, await rig.read("runs")]).toEqual([4, "run\n".repeat(4)]);
    expect(stderr).toContain("the agent stops now, after 3 continuations");
  });

  test("the parent of a sub-agent gets the report that the SubagentStop hooks agreed to", async () => {
    const task = { description: "look", prompt: "Look for it.", subagent_type: "general" };
    const isChild = ({ opening }: { opening: string }): boolean => opening.includes("Look for it.");
    const rig = await OpencodeRig.create({
      files: settings(
        "SubagentStop",
        'cat > input.json; test -e fixed || { touch fixed; echo "Look again." >&2; exit 2; }'
      ),
      replies: [
        { when: isChild, text: "Found one." },
        { when: isChild, text: "Found two." },
        { tools: [{ name: "task", input: task }] },
        { text: "Two were found." },
      ],
    });
    await rig.run("Do it.");
    expect(rig.said.filter((said) => said.includes("Look again."))).toEqual([
      "[SubagentStop hook requested continuation]\nLook again.",
    ]);
    const last = rig.model.requests.at(-1)!.body;
    expect([last.includes("Found two."), last.includes("Found one.")]).toEqual([true, false]);
    expect(JSON.parse(await rig.read("input.json"))).toMatchObject({
      agent_type: "general",
      last_assistant_message: "Found two.",
    });
  });
});

describe.runIf(IS_TESTED)("in `opencode serve`", { timeout: 300_000 }, () => {
  test("a failing check sends the agent back, and a new message begins new attempts", async () => {
    const rig = await OpencodeRig.create({
      files: GAUNTLET,
      replies: [
        ...[CHANGE, { text: "I am done.", times: 2 }],
        // Only what changes in a turn is the agent's.
        ...[shell("echo c > c.txt"), { text: "I am done.", times: 9 }],
      ],
    });
    const server = await rig.serve();
    const id = await server.newSession();
    const limits = (): number =>
      server.toasts.filter((text) => text.includes("retry limit exceeded")).length;
    for (const turn of [1, 2]) {
      await server.say(id, "Do it.");
      await server.until(() => limits() === turn);
      expect(rig.said.filter((said) => said.startsWith(SENT_BACK)).length).toBe(turn);
    }
  });

  test("an interrupt while hooks run is not followed by a continuation", async () => {
    const rig = await OpencodeRig.create({
      files: settings("Stop", "trap 'touch ended; exit 2' TERM; touch ran; sleep 15 & wait"),
      replies: [{ text: "I am done.", times: 9 }],
    });
    const server = await rig.serve();
    const id = await server.newSession();
    await server.say(id, "Do it.");
    await server.until(() => server.toasts.some((text) => text.includes("is running")));
    await server.post(`/session/${id}/abort`);
    await expectSoon(() => rig.has("ended")).toBe(true);
    expect(rig.said.length).toBe(1);
  });

  test("the processes of a hook end with a killed opencode", async () => {
    const rig = await OpencodeRig.create({
      files: settings("Stop", "sleep 15 & echo $! > pid; wait"),
      replies: [{ text: "I am done." }],
    });
    const server = await rig.serve();
    await server.say(await server.newSession(), "Do it.");
    await server.until(() => server.toasts.some((text) => text.includes("is running")));
    const [pid = 0] = await readPids(join(rig.project, "pid"));
    expect(isAlive(pid)).toBe(true);
    server.child.kill("SIGKILL");
    await expectSoon(() => isAlive(pid)).toBe(false);
  });
});
