import { readFile, writeFile } from "node:fs/promises";
import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { group, HookProject, says } from "@test/helpers/hooks/hookProject";
import { muxHooks } from "@test/helpers/hooks/muxHooks";
import { makeGate } from "@test/helpers/process/processes";

async function projectWith(hooks: Record<string, unknown>, rest: object = {}) {
  return await (await HookProject.create()).configure({ hooks, ...rest });
}

async function userSettings(project: HookProject, settings: unknown): Promise<void> {
  await project.write("../home/.mux/settings.json", JSON.stringify(settings, undefined, 2));
}

describe("the command line", () => {
  test.each([
    [[], "Usage: mux-stop-hooks hooks <command> [options]"],
    [["frobnicate"], "unknown command 'frobnicate'"],
    [["list", "--frobnicate"], "unknown option '--frobnicate'"],
    [["list", "--event", "stop"], "Expected Stop or SubagentStop."],
    [["test", "Start"], "Expected Stop or SubagentStop."],
    [["test", "Stop", "--continuation", "-1"], "Expected a whole number from 0 to 999."],
    [["run", "hello"], "required option '--script <file>' not specified"],
    [["trust", "--show", "--revoke"], "cannot be used with option '--show'"],
  ])("%j exits with 2", async (args, problem) => {
    const { code, stdout, stderr } = await muxHooks(await HookProject.create(), args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(problem);
  });

  test.each(["list", "test Stop", "validate", "trust --yes", "run x --script y"])(
    "%s: prints one line and exits with 1 if the project folder does not exist",
    async (line) => {
      const project = await HookProject.create();
      expect(await muxHooks(project, [...line.split(" "), "--project", "nowhere"])).toEqual({
        ...{ code: 1, stdout: "" },
        stderr: `mux-stop-hooks: the folder ${project.path("nowhere")} does not exist\n`,
      });
    }
  );
});

describe("list", () => {
  test("shows hooks in the order they run in, with their limit and location", async () => {
    const project = await projectWith({
      Stop: [group(["make lint", { command: "node", args: ["x.js"], timeout: 90 }])],
    });
    await userSettings(project, { hooks: { Stop: [group([{ command: "notify", async: true }])] } });
    const script = await project.write(".mux/stop", "#!/bin/sh\n", 0o755);
    const { code, stdout } = await muxHooks(project, ["list", "--event", "Stop"]);
    expect(code).toBe(0);
    expect(stdout).toBe(
      [
        `Hooks of ${project.dir}`,
        "",
        "Stop  at most 3 continuations per turn",
        "  1  user:Stop[0]     600 s, background  notify     ~/.mux/settings.json:6",
        "  2  project:Stop[0]  10 s               make lint  .mux/settings.json:6",
        "  3  project:Stop[1]  90 s               node x.js  .mux/settings.json:10",
        "  4  script:Stop[0]   10 s               .mux/stop  .mux/stop:1",
        "",
      ].join("\n")
    );
    expect(script).toBe(project.path(".mux/stop"));
  });

  test("shows hooks that do not run, with the reason", async () => {
    const project = await projectWith({
      Stop: [
        group([
          { command: "a", enabled: false },
          { command: "b", if: "x" },
        ]),
      ],
    });
    await project.write(".mux/stop", "#!/bin/sh\n", 0o644);
    const { stdout } = await muxHooks(project, ["list"]);
    expect(stdout).toMatch(/project:Stop\[0\] +a +\S+:6 +turned off by enabled: false/);
    expect(stdout).toMatch(/project:Stop\[1\] +b +\S+:11 +an "if" is never true on Stop/);
    expect(stdout).toMatch(/script:Stop\[0\] +\.mux\/stop +\S+ +it is not executable/);
    expect(stdout).toContain("Stop: no hooks would run");
  });

  test("shows the hooks of an untrusted project as skipped, and how to trust them; test does not run them (H31, H32)", async () => {
    const project = await projectWith({ Stop: [group(["touch ran; exit 2"])] });
    const env = { MUX_HOOKS_TRUST: "" };
    const list = await muxHooks(project, ["list"], { env });
    expect(list.code).toBe(0);
    expect(list.stdout).toMatch(/project:Stop\[0\] +touch .* \S+ +the project is not trusted/);
    const { code, stdout } = await muxHooks(project, ["test", "Stop"], { env });
    expect(code).toBe(0);
    expect(stdout).toContain("project:Stop[0]  skipped: the project is not trusted");
    for (const text of [list.stdout, stdout]) {
      expect(text).toContain('"mux-stop-hooks hooks trust" to allow it');
    }
    expect(stdout).toMatch(/The agent may stop: no hook ran\n$/);
    await expect(project.read("ran")).rejects.toThrow("ENOENT");
  });

  test("shows the matchers without an agent type, and applies them with one (H11)", async () => {
    const project = await projectWith({
      SubagentStop: [group(["a"], "explore|review"), group(["b"])],
    });
    const all = await muxHooks(project, ["list", "--event", "SubagentStop"]);
    expect(all.stdout).toMatch(/1 {2}project:SubagentStop\[0\] {2}10 s {2}explore\|review {2}a/);
    expect(all.stdout).toMatch(/2 {2}project:SubagentStop\[1\] {2}10 s {2}\* +b/);
    const one = await muxHooks(project, ["list", "--agent-type", "exec"]);
    expect(one.stdout).toMatch(/1 {2}project:SubagentStop\[1\]/);
    expect(one.stdout).toContain('its matcher does not match the agent type "exec"');
  });

  test("--json prints every field", async () => {
    const project = await projectWith({ Stop: [group([{ command: "make", timeout: 2 }])] });
    const { stdout } = await muxHooks(project, ["list", "--json"]);
    const { events, ...rest } = JSON.parse(stdout) as { events: unknown[] };
    const hook = {
      ...{ name: "project:Stop[0]", event: "Stop", layer: "project" },
      source: { file: project.path(".mux/settings.json"), line: 6, column: 11 },
      ...{ timeoutSeconds: 2, background: false },
      handler: { type: "command", command: "make", timeout: 2 },
    };
    expect(events).toEqual([
      { event: "Stop", hooks: [hook], skipped: [] },
      { event: "SubagentStop", hooks: [], skipped: [] },
    ]);
    const trust = { trusted: true };
    const { dir: projectDir } = project;
    expect(rest).toMatchObject({ projectDir, trust, maxContinuations: 3, diagnostics: [] });
  });
});

describe("test", () => {
  test.each<[string, readonly unknown[], RegExp]>([
    [
      "names the file, the line and the key of a problem in the settings (H5)",
      [group(["true"]), 7],
      /\/\.mux\/settings\.json:\d+:\d+: hooks\.Stop\[1\]: expected an object/,
    ],
    [
      "shows warnings of a hook that fails",
      [group(["echo broken >&2; exit 1"])],
      / {2}warning: failed with exit code 1: broken[^]*The agent may stop\n$/,
    ],
    [
      "shows the messages to the user, and continue: false ends the turn",
      [
        group([
          says({ continue: false, stopReason: "Budget spent.", systemMessage: "Hello." }),
          says({ decision: "block", reason: "More." }),
        ]),
      ],
      /The user sees\nHello\.\n\nThe turn ends: Budget spent\.\n$/,
    ],
  ])("%s, and exits with 0", async (_, Stop, shown) => {
    const { code, stdout } = await muxHooks(await projectWith({ Stop }), ["test", "Stop"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(shown);
  });

  test("gives hooks a transcript that ends with the last message, and removes it afterwards", async () => {
    const project = await projectWith({
      Stop: [group(['cp "$MUX_TRANSCRIPT_PATH" copy; printf %s "$MUX_TRANSCRIPT_PATH" > where'])],
    });
    await muxHooks(project, ["test", "Stop", "--last-message", "The very last."]);
    const rows = (await project.read("copy")).trim().split("\n");
    expect(rows.map((row) => (JSON.parse(row) as { role: string }).role)).toEqual([
      "user",
      "assistant",
    ]);
    expect(rows[1]).toContain("The very last.");
    await expect(readFile(await project.read("where"))).rejects.toThrow("ENOENT");
  });

  test("copies a transcript with its last message and its continuations, and leaves the file unchanged", async () => {
    const project = await projectWith({ Stop: [group(["cat"])] });
    const row = (id: number, role: string, text: string, muxMetadata: object = {}) =>
      JSON.stringify({
        id: String(id),
        role,
        parts: [{ type: "text", text }],
        metadata: { historySequence: id, timestamp: 1, muxMetadata },
        workspaceId: "w",
      });
    const text = [
      row(0, "user", "Do it."),
      row(1, "assistant", "Did it."),
      row(2, "user", "[Stop hook requested continuation]\nNo.", { stopHookActive: true }),
      row(3, "assistant", "Did it now."),
    ].join("\n");
    await writeFile(project.transcript, text);
    const { stdout } = await muxHooks(project, [
      ...["test", "Stop", "--json", "--transcript", project.transcript],
    ]);
    expect(JSON.parse(stdout)).toMatchObject({
      input: { stop_hook_active: true, last_assistant_message: "Did it now." },
    });
    expect(await readFile(project.transcript, "utf8")).toBe(text);
  });

  test.each([
    ["missing", /the transcript \S+\/missing does not exist/],
    ["pipe", /the transcript \S+\/pipe is not a regular file/],
  ])("prints one line and exits with 1 if the transcript is %s", async (name, problem) => {
    const project = await projectWith({ Stop: [group(["true"])] });
    await makeGate(project.dir, "pipe");
    const called = await muxHooks(project, ["test", "Stop", "--transcript", name]);
    expect(called).toMatchObject({ code: 1, stdout: "" });
    expect(called.stderr).toMatch(/^mux-stop-hooks: .*\n$/);
    expect(called.stderr).toMatch(problem);
  });

  test("--continuation gives hooks a turn that was continued before (H25)", async () => {
    const project = await projectWith({
      Stop: [group(['echo "$MUX_STOP_HOOK_ACTIVE $MUX_CONTINUATION" >&2; exit 2'])],
    });
    const second = await muxHooks(project, ["test", "Stop", "--continuation", "2"]);
    expect(second.code).toBe(3);
    expect(second.stdout).toMatch(/continuation\]\ntrue 2\n$/);
    const last = await muxHooks(project, ["test", "Stop", "--continuation", "3"]);
    expect(last.code).toBe(0);
    expect(last.stdout).toContain("The agent may stop: the limit of 3 continuations is reached");
  });

  test("gives the hooks of a sub-agent its ID, its transcript and that of its parent (H13)", async () => {
    const project = await projectWith({
      SubagentStop: [group(["cat"], "review"), group(["exit 2"], "explore")],
    });
    const { code, stdout } = await muxHooks(project, [
      ...["test", "SubagentStop", "--agent-type", "review", "--json"],
    ]);
    expect(code).toBe(0);
    const { input, result } = JSON.parse(stdout) as {
      input: Record<string, string>;
      result: { runs: { name: string; stdout: string }[] };
    };
    expect(input).toMatchObject({ agent_type: "review", agent_id: input.session_id });
    expect(input.agent_transcript_path).toBe(input.transcript_path);
    expect(input.parent_transcript_path).not.toBe(input.transcript_path);
    expect(result.runs.map(({ name }) => name)).toEqual(["project:SubagentStop[0]"]);
    expect(JSON.parse(result.runs[0]!.stdout)).toEqual(input);
  });

  test("waits for a background hook and shows its output", async () => {
    const gated = await HookProject.create();
    const gate = await makeGate(gated.session);
    const command = `read -r _ < ${gate.path}; ${says({ hookSpecificOutput: { additionalContext: "Late." } })}`;
    await gated.configure({ hooks: { Stop: [group([{ command, async: true }])] } });
    const call = muxHooks(gated, ["test", "Stop"]);
    await gate.open();
    const { code, stdout } = await call;
    expect(code).toBe(0);
    expect(stdout).toContain("project:Stop[0]  background  exit 0");
    expect(stdout).toContain("sent to the agent with your next message:\n    Late.");
  });

  test("Ctrl-C ends the hooks (H22)", async () => {
    const project = await HookProject.create();
    const started = await makeGate(project.session, "started");
    await project.configure({ hooks: { Stop: [group([`echo > ${started.path}; sleep 60`])] } });
    let interrupt = (): void => undefined;
    const call = muxHooks(project, ["test", "Stop"], {
      prepare: (context) => (interrupt = context.interrupt),
    });
    await readFile(started.path);
    interrupt();
    expect(await call).toEqual({ code: 130, stdout: "", stderr: "mux-stop-hooks: interrupted\n" });
  });
});

describe("validate", () => {
  test("reports no problems and lists the files that were read", async () => {
    const project = await projectWith({ Stop: [group(["make"])] });
    await userSettings(project, {});
    await project.write(".mux/stop", "#!/bin/sh\n", 0o755);
    const { code, stdout } = await muxHooks(project, ["validate"]);
    expect(code).toBe(0);
    expect(stdout).toBe(
      "no problems in\n  ~/.mux/settings.json\n  .mux/settings.json\n  .mux/stop\n"
    );
  });

  test.each<[string, number, Record<string, unknown>, RegExp]>([
    ["no settings", 0, {}, /^no problems: no settings files found\n$/],
    ["an invalid group, also of an untrusted project", 1, { Stop: [{}] }, /^error /],
    [
      "a handler that is not available",
      1,
      { Stop: [group([{ type: "builtin", name: "nope" }])] },
      /there is no built-in handler named "nope"/,
    ],
    ["only notices", 0, { stop: [] }, /^notice .*did you mean "Stop"\?[^]*1 notice in\n/],
  ])("with %s exits with %i", async (_, expected, hooks, shown) => {
    const project = await HookProject.create();
    if (Object.keys(hooks).length > 0) await project.configure({ hooks });
    const env = { MUX_HOOKS_TRUST: "" };
    const { code, stdout } = await muxHooks(project, ["validate"], { env });
    expect(code).toBe(expected);
    expect(stdout).toMatch(shown);
  });
});

describe("trust", () => {
  const untrusted = { env: { MUX_HOOKS_TRUST: "" } };

  test("a long prompt does not move the origin of the other hooks, and the model is named (H31)", async () => {
    const long = { type: "prompt", prompt: "x".repeat(1_000), model: "small" };
    const project = await projectWith({ Stop: [group(["true", long])] });
    const { stdout } = await muxHooks(project, ["trust", "--show"], untrusted);
    expect(stdout).toContain("  Stop: true  .mux/settings.json:6\n");
    expect(stdout).toContain("  Stop: prompt to the model small: xxx");
  });

  test("records the commands, which run until a change is trusted, or the trust is revoked (H31)", async () => {
    const project = await projectWith({ Stop: [group(["./check.sh --all"])] });
    await project.write("check.sh", "#!/bin/sh\nexit 0\n", 0o755);
    const call = async (...args: string[]) => await muxHooks(project, args, untrusted);
    const codeOfTest = async () => (await call("test", "Stop")).code;
    expect((await call("trust", "--show")).stdout).toContain("Not trusted: ");
    await expect(project.read("../home/.mux/hook-trust.json")).rejects.toThrow("ENOENT");
    await call("trust", "--yes");
    const recorded = /\nTrusted by the record of \S+ in \S+\.\n$/;
    expect((await call("trust", "--show")).stdout).toMatch(recorded);
    expect(await codeOfTest()).toBe(0);
    // A file that a command names may change.
    await project.write("check.sh", "#!/bin/sh\nexit 2\n", 0o755);
    expect(await codeOfTest()).toBe(3);

    await project.configure({ hooks: { Stop: [group(["exit 0"])] } });
    const tried = await call("test", "Stop");
    expect(tried.code).toBe(3);
    expect(tried.stdout).toContain(".mux/settings.json: changed and not trusted yet");
    expect((await call("list")).stdout).toContain("changed and not trusted yet");
    await call("trust", "--yes", "--only");
    expect(await codeOfTest()).toBe(0);
    // Earlier definitions are not trusted any more, so those of the last time run.
    await project.configure({ hooks: { Stop: [group(["./check.sh --all"])] } });
    expect(await codeOfTest()).toBe(0);
    await call("trust", "--yes");
    expect(await codeOfTest()).toBe(3);
    await call("trust", "--revoke");
    expect(await codeOfTest()).toBe(0);
    expect(await call("trust", "--revoke")).toEqual({
      code: 0,
      stdout: `${project.dir} is not trusted, so there is nothing to revoke.\n`,
      stderr: "",
    });
  });

  test("needs a terminal or --yes, and prompts at a terminal (H31)", async () => {
    const project = await projectWith({ Stop: [group(["exit 2"])] });
    const refused = await muxHooks(project, ["trust"], untrusted);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("there is no terminal for the confirmation");
    for (const [answer, code] of [["n", 1] as const, ["y", 0] as const]) {
      const asked = await muxHooks(project, ["trust"], {
        ...untrusted,
        prepare: (context) => {
          const stdin = Object.assign(Readable.from([`${answer}\n`]), { isTTY: true });
          Object.assign(context, { stdin });
          Object.assign(context.stdout, { isTTY: true });
        },
      });
      expect(asked.stdout).toContain("Trust these hooks? (y/n): ");
      expect(asked.code).toBe(code);
    }
    expect((await muxHooks(project, ["test", "Stop"], untrusted)).code).toBe(3);
  });

  test.each(["MUX_HOOK_EVENT", "GAUNTLET_STOP_HOOK_ACTIVE", "CLAUDECODE", "CODEX_THREAD_ID"])(
    "refuses if %s is set, as in an agent or a hook (H31)",
    async (name) => {
      const project = await projectWith({ Stop: [group(["exit 2"])] });
      const env = { ...untrusted.env, [name]: "1" };
      for (const option of ["--yes", "--revoke"]) {
        const { code, stderr } = await muxHooks(project, ["trust", option], { env });
        expect(code).toBe(1);
        expect(stderr).toContain(`${name} is set`);
      }
      expect((await muxHooks(project, ["trust", "--show"], { env })).code).toBe(0);
    }
  );

  test("reports that there is nothing to trust if the checkout has no hooks", async () => {
    const project = await HookProject.create();
    await userSettings(project, { hooks: { Stop: [group(["make"])] } });
    const { code, stdout } = await muxHooks(project, ["trust", "--yes"], untrusted);
    expect(code).toBe(0);
    expect(stdout).toContain("so there is nothing to trust");
  });
});
