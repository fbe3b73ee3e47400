import { EventEmitter, once } from "node:events";
import { mkdir, open, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ExecRequest, HookRuntime } from "@/node/runtime/HookRuntime";
import { runStopHooks } from "@/node/services/hooks/stopHookExecutor";
import type { HookEvent, HookRun } from "@/node/services/hooks/contract/types";
import { group, HookProject, projectWith, says, stopWith } from "@test/helpers/hooks/hookProject";
import { readJsonLines } from "@test/helpers/hooks/session";
import { isAlive, makeGate, readPids } from "@test/helpers/process/processes";
import { expectSoon } from "@test/helpers/soon";

const block = (reason: string): string => says({ decision: "block", reason });

describe("the list of the requirements", () => {
  test("Exit 0 (no JSON) → shouldStop: true", async () => {
    expect((await stopWith(["echo fine; exit 0"])).shouldStop).toBe(true);
  });

  test("Exit 0 + decision: block with reason → shouldStop: false, continueReason set", async () => {
    const result = await stopWith([`echo '{"decision":"block","reason":"Run the tests"}'`]);
    expect(result).toMatchObject({ shouldStop: false, continueReason: "Run the tests" });
  });

  test("Exit 0 + continue: false → shouldStop: true (takes precedence)", async () => {
    const ends = `echo '{"continue":false,"decision":"block","reason":"R"}'`;
    const result = await stopWith([ends, block("R")]);
    expect(result.shouldStop).toBe(true);
    expect(result).not.toHaveProperty("continueReason");
  });

  test("Exit 2 → shouldStop: false, stderr as continueReason", async () => {
    const result = await stopWith(["echo 'Error: Tests not run' >&2; exit 2"]);
    expect(result).toMatchObject({ shouldStop: false, continueReason: "Error: Tests not run" });
  });

  test("Exit 1 → shouldStop: true, warning logged", async () => {
    const result = await stopWith(["echo broken >&2; exit 1"]);
    expect(result.shouldStop).toBe(true);
    expect(result.warnings).toEqual([expect.stringMatching(/exit code 1: broken/)]);
  });

  test("Timeout → shouldStop: true, warning logged", async () => {
    const result = await stopWith([{ command: "sleep 600", timeout: 0.2 }]);
    expect(result.shouldStop).toBe(true);
    expect(result.warnings).toEqual([expect.stringMatching(/timed out after 0\.2 s/)]);
  });

  test("Invalid JSON → treated as plain text, shouldStop: true", async () => {
    const result = await stopWith([`echo '{"decision": "block", "reason": '`]);
    expect(result.shouldStop).toBe(true);
    expect(result.warnings).toEqual([
      expect.stringContaining("is treated as plain text, which contains no decision"),
    ]);
  });
});

describe("precedence of verdicts (H16)", () => {
  const END = says({ continue: false, stopReason: "enough" });

  test("an interrupt by the user wins over all at once, and ends the processes (H22)", async () => {
    const project = await HookProject.create();
    const gate = await makeGate(project.session);
    const endless = `trap '' TERM; echo $$ > pid; echo > ${gate.path}; while :; do sleep 600; done`;
    await project.configure({ hooks: { Stop: [group([block("R"), END, endless])] } });
    const interrupt = new AbortController();
    const events = new EventEmitter();
    const decided = once(events, "decided");
    const seen: string[] = [];
    const running = project.stop({
      abortSignal: interrupt.signal,
      onEvent: ({ type }) => {
        seen.push(type);
        if (seen.filter((one) => one === "hook-end").length === 2) events.emit("decided");
      },
    });
    await Promise.all([readFile(gate.path), decided]);
    const pids = await readPids(project.path("pid"));

    interrupt.abort();
    const result = await running;
    expect(pids.every(isAlive)).toBe(true);
    expect(result).toEqual({ shouldStop: true, cancelled: true, runs: [], skipped: [] });
    await expectSoon(() => recordsOf(project)).toHaveLength(3);
    const records = await recordsOf(project);
    expect(records.map(({ outcome }) => outcome)).toEqual(["block", "end", "cancelled"]);
    await expectSoon(() => pids.filter(isAlive)).toEqual([]);
    // The next stop may have begun, and its hooks have the same numbers.
    expect(seen.at(-1)).toBe("hooks-end");
  });

  test("an interrupt before the start runs no hook", async () => {
    const project = await projectWith(["echo ran > ran", { command: "echo > ran", async: true }]);
    const result = await project.stop({ abortSignal: AbortSignal.abort() });
    expect(result).toMatchObject({ shouldStop: true, cancelled: true });
    await expectSoon(() => recordsOf(project)).toHaveLength(2);
    await expect(stat(project.path("ran"))).rejects.toThrow("ENOENT");
  });
});

test("the limit of the text for the agent also applies to additional context (H17)", async () => {
  const printed = `printf '{"hookSpecificOutput":{"additionalContext":"%020000d"}}' 0`;
  const { continueReason = "" } = await stopWith([printed]);
  expect(continueReason.length).toBeLessThanOrEqual(10_000);
});

describe("a call never rejects and keeps no state (H23):", () => {
  test("a project that does not exist", async () => {
    const { home, runtime, input } = await HookProject.create();
    const options = { load: { home, env: {} } };
    for (const dir of ["/no/such/project", "", "a\0b"]) {
      expect(await runStopHooks(runtime, dir, input, options)).toMatchObject({ shouldStop: true });
    }
  });

  test("a working directory that is a file, and a missing transcript", async () => {
    const project = await projectWith([block("R")]);
    const cwd = await project.write("file", "");
    for (const transcript_path of ["", "relative/chat.jsonl", "/no/such/chat.jsonl"]) {
      const result = await project.stop({ input: { cwd, transcript_path } });
      expect(result).toMatchObject({ shouldStop: false, continueReason: "R" });
    }
  });

  test("a session folder that is removed by a hook, or cannot be written, is a warning at most", async () => {
    const project = await projectWith([block("R")]);
    await mkdir(join(project.session, "hook-runs.jsonl"));
    const result = await project.stop();
    expect(result.continueReason).toBe("R");
    expect(result.warnings).toEqual([expect.stringContaining("could not be recorded")]);
    const removed = await projectWith([`rm -r "$(dirname "$MUX_TRANSCRIPT_PATH")"; ${block("R")}`]);
    expect(await removed.stop()).toMatchObject({ continueReason: "R" });
    await expect(stat(removed.session)).rejects.toThrow("ENOENT");
    // Without a folder of the session there is no record.
    expect((await removed.stop()).warnings).toBeUndefined();
    await expect(stat(removed.session)).rejects.toThrow("ENOENT");
  });

  test.each(["exec", "stat", "readFile"] as const)(
    "a runtime whose %s rejects against its own contract",
    async (method) => {
      const project = await projectWith(["exit 2"]);
      const broken = () => Promise.reject(new Error("connection lost"));
      const runtime = replacing(project.runtime, { [method]: broken });
      const result = await project.stop({ runtime });
      expect(result.shouldStop).toBe(true);
      expect(result.warnings?.join("\n")).toContain("connection lost");
    }
  );

  test("a runtime that rejects when a long reason is saved keeps the verdict", async () => {
    const project = await projectWith(["head -c 20000 /dev/zero | tr '\\0' x >&2; exit 2"]);
    const writeFile = () => Promise.reject(new Error("connection lost"));
    const runtime = replacing(project.runtime, { writeFile });
    const { continueReason = "" } = await project.stop({ runtime });
    expect(continueReason).toMatch(/^x+\n[^]*could not be saved[^]*\nx+$/);
  });

  test("a runtime that rejects one program runs the others", async () => {
    const project = await projectWith(["exit 2", block("R")]);
    let calls = 0;
    const runtime = replacing(project.runtime, {
      exec: (request: ExecRequest) =>
        ++calls === 1
          ? Promise.reject(new Error("connection lost"))
          : project.runtime.exec(request),
    });
    const result = await project.stop({ runtime });
    expect(result.continueReason).toBe("R");
    expect(result.warnings).toEqual([expect.stringMatching(/Stop\[0\].*connection lost/)]);
  });

  test("a listener that throws", async () => {
    const project = await projectWith([block("R")]);
    const result = await project.stop({
      onEvent: () => {
        throw new Error("listener");
      },
    });
    expect(result).toMatchObject({ continueReason: "R" });
    expect(result.warnings).toBeUndefined();
  });

  test("concurrent calls are independent", async () => {
    const project = await projectWith([
      'echo "$MUX_CONTINUATION $MUX_STOP_HOOK_ACTIVE" >&2; exit 2',
    ]);
    const calls = [0, 1, 2, 0].map(async (continuation) => {
      const input = { stop_hook_active: continuation > 0 };
      return (await project.stop({ continuation, input })).continueReason;
    });
    expect(await Promise.all(calls)).toEqual(["0 false", "1 true", "2 true", "0 false"]);
  });
});

/** Returns the runtime with some methods replaced. */
function replacing(runtime: HookRuntime, methods: Partial<Record<keyof HookRuntime, unknown>>) {
  return new Proxy(runtime, {
    get(target, key) {
      if (key in methods) return methods[key as keyof HookRuntime];
      if (key === "host") return replacing(target, methods);
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}

async function recordsOf({ session }: HookProject): Promise<HookRun[]> {
  return (await readJsonLines(join(session, "hook-runs.jsonl"))) as unknown as HookRun[];
}

describe("records (H24)", () => {
  test("each run adds a line with its name, source, time, duration and result", async () => {
    const long = "printf %050000d 0; printf %050000d 1 >&2";
    const project = await projectWith(["echo out; echo err >&2; exit 3", "kill -TERM $$", long]);
    const before = Date.now();
    const { runs } = await project.stop();
    const records = await recordsOf(project);
    expect(records).toEqual(runs);
    expect(records[0]).toEqual({
      name: "project:Stop[0]",
      title: "echo out; echo err >&2; exit 3",
      event: "Stop",
      type: "command",
      layer: "project",
      source: {
        file: project.path(".mux/settings.json"),
        line: expect.any(Number) as number,
        column: expect.any(Number) as number,
      },
      startedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as string,
      durationMs: expect.any(Number) as number,
      end: { kind: "exited", code: 3 },
      outcome: "failed",
      warnings: ["failed with exit code 3: err"],
      notes: [],
      stdout: "out",
      stderr: "err",
      stdoutBytes: 4,
      stderrBytes: 4,
    });
    expect(Date.parse(records[0]?.startedAt ?? "")).toBeGreaterThanOrEqual(before);
    expect(records[1]?.end).toEqual({ kind: "signaled", signal: "SIGTERM" });
    const short = expect.stringMatching(/^0{1999}…$/) as string;
    expect(records[2]).toMatchObject({ stdout: short, stderr: short, stdoutBytes: 50_000 });
    const { mode } = await stat(join(project.session, "hook-runs.jsonl"));
    expect(mode & 0o777).toBe(0o600);
  });

  test("are beside the host's transcript if the hook has another one", async () => {
    const project = await projectWith(["true"]);
    const host = join(project.home, "session");
    await mkdir(host);
    await project.stop({ hostTranscriptPath: join(host, "chat.jsonl") });
    expect(await readFile(join(host, "hook-runs.jsonl"), "utf8")).toContain('"project:Stop[0]"');
    expect(await recordsOf(project)).toEqual([]);
  });

  test("are moved to another file at ten megabytes, and continue in a new file", async () => {
    const project = await projectWith(["true"]);
    const path = join(project.session, "hook-runs.jsonl");
    const rotated = join(project.session, "hook-runs.1.jsonl");
    await writeFile(rotated, "the one before");
    const full = await open(path, "w");
    await full.truncate(10 * 1024 * 1024);
    await full.close();
    await project.stop();
    expect((await stat(rotated)).size).toBe(10 * 1024 * 1024);
    expect(await recordsOf(project)).toHaveLength(1);
    await project.stop();
    expect(await recordsOf(project)).toHaveLength(2);
  });
});

test("the chat gets the start, the output and the end of each hook (H24)", async () => {
  const project = await HookProject.create();
  const gate = await makeGate(project.session);
  await project.configure({
    hooks: { Stop: [group([`read -r _ < ${gate.path}; ${block("R")}`, "true"])] },
  });
  const events: HookEvent[] = [];
  const result = await project.stop({
    onEvent: (event) => {
      events.push(event);
      if (event.type === "hook-end" && event.index === 2) void gate.open();
    },
  });
  const told = events.map((event) =>
    "index" in event ? `${event.type} ${event.index}` : event.type
  );
  expect(events[4]).toMatchObject({ index: 1, text: expect.stringContaining("R") as string });
  expect(told).toEqual([
    "hooks-start",
    "hook-start 1",
    "hook-start 2",
    "hook-end 2",
    "hook-output 1",
    "hook-end 1",
    "hooks-end",
  ]);
  expect(events[0]).toEqual({ type: "hooks-start", event: "Stop", total: 2 });
  expect(events.at(-1)).toMatchObject({ event: "Stop", result: { continueReason: "R" } });
  expect(events[5]).toMatchObject({ run: result.runs[0], total: 2 });
});
