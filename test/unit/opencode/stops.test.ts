/** The hooks of sessions in opencode, with the plugin's handlers and a recorded client. */
import { readFileSync } from "node:fs";
import { access, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeGate } from "@test/helpers/process/processes";
import { expectSoon } from "@test/helpers/soon";
import { putFile, tempDir } from "@test/helpers/tempDir";
import { FakeOpencode, type FakeOptions } from "@test/unit/opencode/fakeOpencode";

/** Blocks until the file `fixed` exists, and counts its runs in the file `runs`. */
const NEEDS_FIX = 'echo run >> runs; test -e fixed || { echo "Fix it." >&2; exit 2; }';

function hooks(command: string, event = "Stop", more: object = {}): unknown {
  return { hooks: { [event]: [{ hooks: [{ type: "command", command, timeout: 100 }] }] }, ...more };
}

async function start(command = NEEDS_FIX, options: FakeOptions = {}): Promise<FakeOpencode> {
  return await FakeOpencode.start({ settings: hooks(command), ...options });
}

const runsOf = async (fake: FakeOpencode): Promise<number> =>
  (await fake.read("runs").catch(() => "")).split("\n").length - 1;

function textsOf({ prompts }: FakeOpencode): string[] {
  return prompts.map(({ parts }) => parts[0]?.text ?? "");
}

describe("a Stop hook in opencode", () => {
  test("sends the agent back once with its agent, its model and the mark of hooks, and the fix passes (H25, H27)", async () => {
    const fake = await start();
    fake.answers.push({}, { does: () => fake.write("fixed", ""), text: "Fixed." });
    await fake.say(fake.id, "Do it.");
    const text = "[Stop hook requested continuation]\nFix it.";
    expect(fake.prompts).toMatchObject([
      {
        agent: "build",
        model: { providerID: "scripted", modelID: "m" },
        parts: [{ text, metadata: { "mux-stop-hooks": { stopHookActive: true } } }],
      },
    ]);
    expect(await runsOf(fake)).toBe(2);
    fake.expectToast(/^the Stop hooks sent the agent back to work .*Fix it\./);
  });

  test("stops blocking at the limit of continuations until the user's next message, and the user is notified (H25, H26)", async () => {
    const settings = hooks(NEEDS_FIX, "Stop", { stopHooks: { maxContinuations: 2 } });
    const fake = await FakeOpencode.start({ settings });
    await fake.say(fake.id, "Do it.");
    expect([fake.prompts.length, await runsOf(fake)]).toEqual([2, 3]);
    fake.expectToast(/^the agent stops now, after 2 continuations.*Fix it\./);
    // A message of opencode or another plugin.
    await fake.say(fake.id, "A background task has ended.", { synthetic: true });
    expect([fake.prompts.length, await runsOf(fake)]).toEqual([2, 4]);
    await fake.say(fake.id, "Do it again.");
    expect(fake.prompts.length).toBe(4);
  });

  test("runs once for each stop with two instances of the plugin", async () => {
    const fake = await start(NEEDS_FIX, { instances: 2 });
    fake.answers.push({}, { does: () => fake.write("fixed", "") });
    await fake.say(fake.id, "Do it.");
    expect([fake.prompts.length, await runsOf(fake)]).toEqual([1, 2]);
  });

  test("does not run without hooks, and nothing is read or written", async () => {
    const fake = await FakeOpencode.start();
    await fake.say(fake.id, "Do it.");
    expect(fake.requests).toEqual(["session.get"]);
    expect(fake.toasts).toEqual([]);
    expect(await readdir(fake.home)).toEqual([]);
  });

  test("does not run if the project is not trusted, unlike one of the user, and the user is notified (H31)", async () => {
    const userSettings = hooks("echo user >> runs");
    const fake = await start(NEEDS_FIX, { trusted: false, userSettings });
    await fake.say(fake.id, "Do it.");
    expect([fake.prompts.length, await fake.read("runs")]).toEqual([0, "user\n"]);
    fake.expectToast(/^1 hook of this project does not run: .*mux-stop-hooks hooks trust/);
  });

  test("runs with MUX_HOOKS_TRUST=always, which is named once per session, and not if the project may have set it (H31)", async () => {
    const fake = await start();
    fake.answers.push({}, { does: () => fake.write("fixed", "") }, {});
    await fake.say(fake.id, "Do it.");
    await fake.say(fake.id, "Again.");
    const shown = fake.toasts.map(({ message }) => message);
    expect(shown.filter((text) => text.includes("MUX_HOOKS_TRUST=always is set"))).toHaveLength(1);

    const line = "MUX_HOOKS_TRUST=always";
    const files: [string, string][] = [
      ...[".env", ".env.local", "opencode.jsonc"].map((file): [string, string] => [file, line]),
      [".config/mise.toml", line],
      [".opencode/opencode.json", '{"MUX_HOOKS\\u005fTRUST": "always"}'],
      [".envrc", `${"#".repeat(4 * 2 ** 20)}\n${line}`],
    ];
    for (const [file, text] of files) {
      const hostile = await start();
      await hostile.write(file, text);
      await hostile.say(hostile.id, "Do it.");
      expect(await runsOf(hostile)).toBe(0);
      hostile.expectToast(new RegExp(`does not count, because ${file} of the project names it`));
    }
  });

  test("gets the session, the answer and a transcript (H13)", async () => {
    const fake = await start(
      'cat > input.json; cp "$(sed "s/.*transcript_path\\":\\"\\([^\\"]*\\).*/\\1/" input.json)" chat.jsonl'
    );
    fake.answers.push({ text: "I am done." });
    await fake.say(fake.id, "Do it.");
    expect(JSON.parse(await fake.read("input.json"))).toMatchObject({
      session_id: fake.id,
      cwd: fake.project,
      permission_mode: "default",
      stop_hook_active: false,
      last_assistant_message: "I am done.",
    });
    const rows = (await fake.read("chat.jsonl")).trim().split("\n");
    expect(rows.map((row) => JSON.parse(row) as unknown)).toMatchObject([
      { role: "user", parts: [{ type: "text", text: "Do it." }] },
      { role: "assistant", parts: [{ type: "text", text: "I am done." }] },
    ]);
    const folder = join(fake.home, ".local/state/mux-stop-hooks/opencode", fake.id);
    expect(await readdir(folder)).toEqual(["chat.jsonl", "hook-runs.jsonl"]);
    await fake.emit("session.deleted", { info: { id: fake.id } });
    await expect(access(folder)).rejects.toThrow("ENOENT");
  });

  test.each([
    ["after an interrupt", { finish: undefined, error: { name: "MessageAbortedError" } }],
    ["after an error of the model", { error: { name: "APIError" } }],
    ["after a compaction", { summary: true }],
    ["after a shell command of the user", { finish: undefined }],
    ["at the length limit", { finish: "length" }],
  ])("does not run %s (H28)", async (_, info) => {
    const fake = await start();
    fake.answers.push({ info });
    await fake.say(fake.id, "Do it.");
    expect([fake.prompts.length, await runsOf(fake)]).toEqual([0, 0]);
  });

  describe("that is running", () => {
    /** Starts a hook that blocks once its gate is open. Resolves when it runs. */
    async function running(options?: FakeOptions) {
      const waits = "echo run >> runs; read -r _ < begin; read -r _ < end; exit 2";
      const fake = await start(waits, options);
      const begin = await makeGate(fake.project, "begin");
      const end = await makeGate(fake.project, "end");
      const said = fake.say(fake.id, "Do it.");
      await begin.open();
      return { fake, said, end };
    }

    test.each(["interrupt", "shell", "shell interrupt"])(
      "is cancelled by an interrupt, and not by a shell command of the user: %s (H22)",
      async (events) => {
        const project = await tempDir();
        await putFile(join(project, ".mux/settings.local.json"), JSON.stringify(hooks("true")));
        const { fake, said, end } = await running({ project, instances: 2 });
        // The second hook has ended.
        await expectSoon(() => fake.toasts.at(-1)?.message).toMatch("Stop hook 1 of 2 is running:");
        fake.answers.push({ info: { error: { name: "APIError" } } });
        for (const id of events.split(" ")) {
          const message = { info: { id, role: "assistant" }, parts: [] };
          if (id === "shell") fake.messagesOf(fake.id).push(message);
          await fake.abort(fake.id);
        }
        if (events === "shell") await end.open();
        await said;
        expect(fake.prompts).toHaveLength(events === "shell" ? 1 : 0);
      }
    );

    test("is cancelled by a message of the user, which begins a turn (H22)", async () => {
      const { fake, said } = await running();
      await writeFile(join(fake.project, ".mux/settings.json"), "{}");
      // The first turn ends before the agent has answered.
      fake.answers.push({ does: () => said });
      await fake.say(fake.id, "Wait.");
      expect(fake.prompts).toEqual([]);
    });

    test("is not cancelled if another instance of the plugin reports the same stop", async () => {
      const { fake, said, end } = await running();
      fake.answers.push({ info: { error: { name: "APIError" } } });
      await fake.emit("session.idle", { sessionID: fake.id }, fake.lastEvent);
      await end.open();
      await said;
      expect(fake.prompts.length).toBe(1);
    });

    test("delays the end of `opencode run`", async () => {
      const { fake, said, end } = await running({ isRun: true });
      await fake.write(".mux/settings.json", "{}");
      const sentBefore = fake.dispose().then(() => fake.prompts.length);
      fake.answers.push({ info: { error: { name: "APIError" } } });
      await end.open();
      expect(await sentBefore).toBe(1);
      await said;
      expect(fake.printed).toContainEqual(expect.stringContaining("sent the agent back to work"));
    });
  });

  test("is in the log of `opencode run` before it may end, also the last one that passed (H24)", async () => {
    const fake = await start(NEEDS_FIX, { isRun: true, userSettings: {} });
    let end: Promise<string> | undefined;
    const log = (): string => readFileSync(join(fake.home, ".mux/hook-log.jsonl"), "utf8");
    const does = async (): Promise<void> => {
      await fake.write("fixed", "");
      // opencode begins to end while the last stop is processed.
      end = fake.dispose().then(log);
    };
    fake.answers.push({}, { does });
    await fake.say(fake.id, "Do it.");
    const lines = (await end)?.trimEnd().split("\n") ?? [];
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { outcome: "block", exit: 2 },
      { outcome: "pass", exit: 0 },
    ]);
  });

  test("whose session cannot be read is not run, and the user is notified once", async () => {
    const fake = await start();
    fake.broken = new Error("no connection");
    await fake.say(fake.id, "Do it.");
    await fake.say(fake.id, "Do it.");
    const errors = fake.toasts.filter(({ variant }) => variant === "error");
    expect(errors.map(({ message }) => message)).toEqual([
      expect.stringMatching(/in chat\.message: no connection; opencode continues/),
    ]);
    fake.broken = undefined;
    await fake.say(fake.id, "Do it.");
    expect(fake.prompts.length).toBe(3);
  });

  test("does not run for an answer of an earlier process when it is interrupted again (H22)", async () => {
    const fake = await start();
    fake
      .messagesOf(fake.id)
      .push({ info: { id: "a", role: "assistant", finish: "stop" }, parts: [] });
    await fake.abort(fake.id);
    await fake.say(fake.newSession(fake.id), "Look.");
    await fake.abort(fake.id);
    expect([fake.prompts.length, await runsOf(fake)]).toEqual([0, 0]);
  });
});

describe("a SubagentStop hook in opencode", () => {
  const settings = hooks(
    'cat > input.json; test -e fixed || { echo "Look again." >&2; exit 2; }',
    "SubagentStop"
  );

  test("holds the report back until it agrees, and the parent gets the last one (H28a)", async () => {
    const fake = await FakeOpencode.start({ settings });
    const child = fake.newSession(fake.id);
    let result = "";
    fake.answers.push(
      { does: async () => (result = await fake.task(fake.id, child, "Look.")) },
      // It is a part of the tag before it as well.
      { text: "task" },
      { text: "Found two.", does: () => fake.write("fixed", "") }
    );
    await fake.say(fake.id, "Do it.");
    expect(textsOf(fake)).toEqual(["[SubagentStop hook requested continuation]\nLook again."]);
    expect(result).toBe(`<task id="${child}"><task_result>Found two.</task_result></task>`);
    expect(JSON.parse(await fake.read("input.json"))).toMatchObject({
      hook_event_name: "SubagentStop",
      session_id: child,
      agent_id: child,
      agent_type: "explore",
      parent_session_id: fake.id,
      stop_hook_active: true,
      last_assistant_message: "Found two.",
    });
  });

  test.each([1, 2])(
    "checks each report of a sub-agent that is resumed, with %i instances (H28a)",
    async (instances) => {
      const fake = await FakeOpencode.start({ settings, instances });
      const child = fake.newSession(fake.id);
      for (const text of ["First.", "Second."]) {
        await rm(join(fake.project, "fixed"), { force: true });
        let result = "";
        fake.answers.push(
          { does: async () => (result = await fake.task(fake.id, child, "Look.")) },
          { text: "Wrong." },
          { text, does: () => fake.write("fixed", "") }
        );
        await fake.say(fake.id, "Do it.");
        expect(result).toContain(text);
      }
    }
  );

  test("is cancelled with its parent (H22)", async () => {
    const slow = hooks("read -r _ < begin; read -r _ < end; exit 2", "SubagentStop");
    const fake = await FakeOpencode.start({ settings: slow });
    const begin = await makeGate(fake.project, "begin");
    await makeGate(fake.project, "end");
    fake.answers.push({
      does: async () => {
        const task = fake.task(fake.id, fake.newSession(fake.id), "Look.");
        await begin.open();
        await fake.emit("session.error", {
          sessionID: fake.id,
          error: { name: "MessageAbortedError" },
        });
        await task;
      },
      info: { error: { name: "MessageAbortedError" } },
    });
    await fake.say(fake.id, "Do it.");
    expect(fake.prompts).toEqual([]);
  });

  test("runs with the plan of the turn in which the parent gave the task (H7)", async () => {
    const fake = await FakeOpencode.start({ settings: hooks("exit 0", "SubagentStop") });
    const child = fake.newSession(fake.id);
    const task = async (): Promise<void> => {
      fake.answers.push({ does: () => fake.task(fake.id, child, "Look.") });
      await fake.say(fake.id, "Do it.");
    };
    await task();
    await fake.write(".mux/settings.json", hooks("echo run >> runs", "SubagentStop"));
    await task();
    expect(await runsOf(fake)).toBe(1);
  });
});
