import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { finalText } from "@/common/chatMessage";
import { attachInterrupts, attachSubagents } from "@/host/subagent/patchReports";
import type * as muxTypes from "@/host/muxTypes";
import { ReportInterceptor } from "@/host/subagent/ReportInterceptor";
import { LocalRuntime } from "@/node/runtime/local/LocalRuntime";
import { StopHookController, type FrozenTurn } from "@/node/services/hooks/index";
import { group } from "@test/helpers/hooks/hookProject";
import * as attached from "@test/helpers/host/attachedHost";
import { TestHostRuntime } from "@test/helpers/host/hostRuntime";
import { isAlive, makeGate, readPids } from "@test/helpers/process/processes";
import { putFile, tempDir } from "@test/helpers/tempDir";
import { expectSoon } from "@test/helpers/soon";

const HEADING = "[SubagentStop hook requested continuation]";

interface Setup extends Omit<attached.Setup, "metadata" | "isWorktree"> {
  /** The host's result for a message. */
  readonly answer?: { success: true; data: undefined } | { success: false; error: unknown };
  /** Whether the host delivers a fallback report by `finalizeAgentTaskReport`, like any other report. */
  readonly wordsAreReports?: boolean;
  readonly runtime?: string;
  /** The plan of the parent's turn. */
  readonly turn?: FrozenTurn | undefined;
}

interface Sent {
  readonly message: string;
  readonly options: muxTypes.HostSendOptions;
  readonly internal: muxTypes.HostInternal;
}

/** Makes a host with one sub-agent and its tasks. The hook is `.mux/subagent_stop` in the sub-agent's checkout. */
async function makeHost({ hook, answer, wordsAreReports, turn, ...setup }: Setup = {}) {
  const engine = vi.fn(() => import("@/host/hostEngineExports"));
  const host = await attached.makeHost({
    ...{ workspaceId: "c1", ...setup, parts: { engine, ...setup.parts } },
    metadata: { parentWorkspaceId: "p1", runtimeConfig: { type: setup.runtime ?? "local" } },
  });
  const { home, dir, parts, session, workspaces } = host;
  const sessions = join(home, "sessions");
  for (const id of ["c1", "p1"]) await mkdir(join(sessions, id), { recursive: true });
  if (hook !== undefined) await configure(dir, hook);
  const sent: Sent[] = [];
  const delivered: string[] = [];
  const ofParent = turn && { hasPlan: () => true, turnOf: () => Promise.resolve(turn) };
  const gate = new ReportInterceptor(parts, ofParent ?? host.gate);

  class TaskService {
    status = "running";
    readonly workspaceService = {
      sendMessage: (
        _: string,
        message: string,
        options: muxTypes.HostSendOptions,
        internal: muxTypes.HostInternal
      ) => {
        sent.push({ message, options, internal });
        if (answer?.success === false) return Promise.resolve(answer);
        workspaces.streams(session, "claude", options);
        return Promise.resolve(answer ?? { success: true as const, data: undefined });
      },
    };
    getAgentTaskStatus(): string {
      return this.status;
    }
    finalizeAgentTaskReport(
      _childId: string,
      _entry: muxTypes.HostTaskEntry | null | undefined,
      { reportMarkdown }: muxTypes.HostTaskReport
    ): Promise<unknown> {
      delivered.push(reportMarkdown);
      return Promise.resolve({ finalized: true });
    }
    async fallbackReportMissingAgentReport(entry: muxTypes.HostTaskEntry): Promise<unknown> {
      const report = { reportMarkdown: "(no report)" };
      if (wordsAreReports === true) return await this.finalizeAgentTaskReport("c1", entry, report);
      delivered.push(report.reportMarkdown);
      return undefined;
    }
    finalizeWorkspaceTurnFromStreamEnd({ parts = [] }: muxTypes.HostStreamEnd): Promise<unknown> {
      delivered.push(finalText(parts));
      return Promise.resolve(true);
    }
    readLatestAssistantText(): Promise<string | null> {
      return Promise.resolve("Last words.");
    }
    sendMessageToDescendantAgentTask(...data: [ancestorId: string, childId: string]) {
      return Promise.resolve({ success: true as const, data });
    }
  }
  attachInterrupts(host.AIService, gate);
  attachSubagents(TaskService, gate);
  return { ...host, tasks: new TaskService(), gate, sessions, sent, delivered, engine };
}

/** Writes the hook of sub-agents. */
const configure = (dir: string, hook: string) => attached.writeHook(dir, hook, "subagent_stop");

type Host = Awaited<ReturnType<typeof makeHost>>;

/** Sends a message of the parent to the sub-agent. */
async function parentSays(host: Host, options: muxTypes.HostSendOptions = {}): Promise<void> {
  host.workspaces.streams(host.session, "claude", options);
  host.gate.userTurnBegins(host.workspaces.get("c1")!);
  await host.checkouts.find(host.session);
}

async function inTurn(setup: Setup = {}, options?: muxTypes.HostSendOptions): Promise<Host> {
  const host = await makeHost(setup);
  await parentSays(host, options);
  return host;
}

const ENTRY: muxTypes.HostTaskEntry = { workspace: { id: "c1", agentType: "explore" } };

function report(host: Host, reportMarkdown: string, early = false): Promise<unknown> {
  const options = early ? [{ stopStream: true }] : [];
  const tasks: muxTypes.HostTaskService = host.tasks;
  return tasks.finalizeAgentTaskReport("c1", ENTRY, { reportMarkdown }, ...options);
}

async function guessThrice(host: Host): Promise<void> {
  for (const guess of ["one", "two", "three"]) await report(host, `Guess ${guess}.`);
}

/** Blocks the first report of a turn. */
const ONCE = 'if test "$MUX_CONTINUATION" = 0; then echo "Look closer." >&2; exit 2; fi';
const ALWAYS = "echo again >> runs; echo 'Look closer.' >&2; exit 2";

async function lineCount(path: string): Promise<number> {
  return (await readFile(path, "utf8")).trim().split("\n").length;
}

describe("a report that hooks block", () => {
  test("is held by the plan of the parent's turn, regardless of the child's checkout (H7)", async () => {
    const parent = await tempDir();
    await configure(parent, ALWAYS);
    const controller = new StopHookController({
      ...{ runtime: new LocalRuntime(), load: { env: {}, home: parent } },
      ...{ projectDir: parent, event: "Stop" },
    });
    await controller.beginTurn();
    const { turn } = controller;
    const weakened = "exit 0";
    for (const setup of [{}, { hook: weakened }]) {
      const host = await inTurn({ ...setup, turn });
      expect(await report(host, "A guess.")).toMatchObject({ finalized: false });
      expect(host.delivered).toEqual([]);
    }
  });

  test("is held, and the sub-agent continues with its turn's options (H28a)", async () => {
    const host = await inTurn({ hook: ONCE }, { agentId: "exec", editMessageId: "m0" });
    expect(await report(host, "A guess.")).toMatchObject({ finalized: false, message: /hook/ });
    expect(host.delivered).toEqual([]);
    expect(host.sent).toEqual([
      {
        message: `${HEADING}\nLook closer.`,
        options: { model: "claude", agentId: "exec", muxMetadata: { stopHookActive: true } },
        internal: { synthetic: true, agentInitiated: true },
      },
    ]);
    expect(await report(host, "What I found.")).toEqual({ finalized: true });
    expect(host.delivered).toEqual(["What I found."]);
    expect(host.lines).toEqual([]);
  });

  test("is delivered at the limit, unless the parent has sent a message since (H26, H28a)", async () => {
    const host = await inTurn({ hook: ALWAYS });
    await report(host, "A guess.");
    await report(host, "A better guess.");
    await host.tasks.sendMessageToDescendantAgentTask("p1", "c1");
    await guessThrice(host);
    expect(host.delivered).toEqual([]);
    await report(host, "A guess.");
    expect(host.delivered).toEqual(["A guess."]);
    expect(host.lines.join()).toContain("the limit");
  });

  test("is delivered at the limit, regardless of the host's reminders, after which the sub-agent may do more than report (H26)", async () => {
    const host = await inTurn({ hook: ALWAYS });
    const kept = { regex_match: "^bash$", action: "disable" };
    const toolPolicy = [kept, { regex_match: "^agent_report$", action: "require" }];
    const reminder = { toolPolicy, additionalSystemInstructions: "Report now." };
    host.workspaces.streams(host.session, "claude", reminder);
    await guessThrice(host);
    const muxMetadata = { stopHookActive: true };
    expect(host.sent[0]!.options).toEqual({ model: "claude", toolPolicy: [kept], muxMetadata });
    await parentSays(host, reminder);
    await report(host, "A guess.");
    expect(host.delivered).toEqual(["A guess."]);
  });

  test("is delivered if the host rejects the message, which is logged, or if the task has ended", async () => {
    const answer = { success: false, error: "no such task" } as const;
    const refusing = await inTurn({ hook: ALWAYS, answer });
    expect(await report(refusing, "A guess.")).toEqual({ finalized: true });
    expect(refusing.lines).toEqual([expect.stringContaining("no such task")]);
    const host = await inTurn({ hook: ALWAYS });
    host.tasks.status = "interrupted";
    await report(host, "A guess.");
    expect(host.delivered).toEqual(["A guess."]);
    expect(host.sent).toEqual([]);
  });
});

describe("passes a report on in the same call:", () => {
  test("if no hook is configured", async () => {
    const host = await inTurn();
    void report(host, "A guess.");
    expect(host.delivered).toEqual(["A guess."]);
    expect(host.engine).not.toHaveBeenCalled();
  });

  test.each([
    ["if it is a plan", { workspace: {} }, { planFilePath: "/plan.md" }],
    ["if its task was interrupted", { workspace: { taskStatus: "interrupted" } }, {}],
  ])("%s", async (_, entry: muxTypes.HostTaskEntry, more: Partial<muxTypes.HostTaskReport>) => {
    const host = await inTurn({ hook: ALWAYS });
    void host.tasks.finalizeAgentTaskReport("c1", entry, { reportMarkdown: "Plan.", ...more });
    expect(host.delivered).toEqual(["Plan."]);
  });

  test("if the host gives no access to the machine, a hook has started it, or the start of the turn was not observed (H28)", async () => {
    const place = { env: { MUX_HOOK_EVENT: "Stop" }, home: "/" };
    const remote = await inTurn({ hook: ALWAYS, runtime: "ssh" });
    const nested = await inTurn({ hook: ALWAYS, parts: { place } });
    for (const host of [remote, nested, await makeHost({ hook: ALWAYS })]) {
      void report(host, "A guess.");
      expect(host.delivered).toEqual(["A guess."]);
    }
  });
});

describe("hooks", () => {
  test("receive the IDs of the sub-agent and its parent (H13)", async () => {
    const host = await inTurn({ hook: "cat > input" }, { agentId: "plan" });
    await report(host, "What I found.");
    const transcript = join(host.sessions, "c1", "chat.jsonl");
    expect(JSON.parse(await readFile(join(host.dir, "input"), "utf8"))).toMatchObject({
      hook_event_name: "SubagentStop",
      session_id: "c1",
      transcript_path: transcript,
      cwd: host.dir,
      permission_mode: "plan",
      stop_hook_active: false,
      last_assistant_message: "What I found.",
      agent_id: "c1",
      agent_type: "explore",
      agent_transcript_path: transcript,
      parent_session_id: "p1",
      parent_transcript_path: join(host.sessions, "p1", "chat.jsonl"),
    });
  });

  test("that the sub-agent has added run only after its parent's next message (H7)", async () => {
    const host = await inTurn();
    await configure(host.dir, ALWAYS);
    await report(host, "A guess.");
    expect(host.delivered).toEqual(["A guess."]);
    expect(host.lines.join()).toContain("since the turn began");
    await parentSays(host);
    await report(host, "Another guess.");
    expect(host.sent).toHaveLength(1);
  });

  test("that cannot be loaded do not hold the report, and the next turn tries again (H23)", async () => {
    const { engine, mend } = attached.brokenEngine("the disk is gone");
    const host = await inTurn({ hook: ALWAYS, parts: { engine } });
    await report(host, "A guess.");
    expect(host.delivered).toEqual(["A guess."]);
    expect(host.lines.join()).toContain("the disk is gone");
    mend();
    await parentSays(host);
    await report(host, "A better guess.");
    expect(host.delivered).toEqual(["A guess."]);
    expect(host.sent).toHaveLength(1);
  });

  /** Starts a hook that does not end by itself. */
  async function running(): Promise<{ host: Host; pid: number; reported: Promise<unknown> }> {
    const host = await makeHost();
    const begun = await makeGate(host.home);
    await configure(host.dir, `echo $$ > pid; echo > "${begun.path}"; exec sleep 600`);
    await parentSays(host);
    const reported = report(host, "A guess.");
    await readFile(begun.path);
    const [pid] = await readPids(join(host.dir, "pid"));
    return { host, pid: pid!, reported };
  }

  test.each(["p1", "c1"])("end if the user stops %s, and the host continues (H22)", async (id) => {
    const { host, pid, reported } = await running();
    await host.service.stopStream(id, { soft: true });
    expect(isAlive(pid)).toBe(true);
    await host.service.stopStream(id);
    await reported;
    expect(host.delivered).toEqual(["A guess."]);
    expect(host.sent).toEqual([]);
    await expectSoon(() => isAlive(pid)).toBe(false);
  });

  test("end with their sub-agent, whose report is dropped", async () => {
    const { host, pid, reported } = await running();
    host.gate.gone(host.session);
    host.workspaces.gone(host.session);
    expect(await reported).toMatchObject({ finalized: false });
    expect(host.delivered).toEqual([]);
    await expectSoon(() => isAlive(pid)).toBe(false);
  });

  test("leave a finding of the background for the next message (H41)", async () => {
    const host = await makeHost();
    const hook = { command: "echo 'Two tests fail.' >&2; exit 2", asyncRewake: true };
    const settings = { hooks: { SubagentStop: [group([hook])] } };
    await putFile(join(host.dir, ".mux", "settings.json"), JSON.stringify(settings));
    await parentSays(host);
    await report(host, "A guess.");
    await expectSoon(() => host.gate.takeFindings(host.session)).toContain("Two tests fail.");
  });

  const NEXT = { message: "and this", options: undefined, internal: undefined };

  test.each([
    ["nothing if a message waits for it", ({ session }: Host) => session.queue.push(NEXT), 0],
    ["nothing if a message has started a turn", (host: Host) => parentSays(host), 0],
    [
      "their message if the host compacts the history of the parent",
      ({ service }: Host) => service.stopStream("p1", { abortReason: "system" }),
      1,
    ],
  ])("send the sub-agent %s meanwhile (H22, H28)", async (_, happens, count) => {
    const host = await makeHost();
    const begun = await makeGate(host.home, "begun");
    const go = await makeGate(host.home, "go");
    await configure(host.dir, `echo > "${begun.path}"; read -r _ < "${go.path}"; ${ALWAYS}`);
    await parentSays(host);
    const reported = report(host, "A guess.");
    await readFile(begun.path);
    await happens(host);
    await go.open();
    expect(await reported).toMatchObject({ finalized: false });
    expect([host.delivered, host.sent.length]).toEqual([[], count]);
  });
});

test("a sub-agent that works again after its report is sent back as well, unless it was cut off or has a message (H28a)", async () => {
  const muxMetadata = { type: "workspace-turn-task", ownerWorkspaceId: "p1" };
  const host = await inTurn({ hook: ONCE }, { muxMetadata });
  const tasks: muxTypes.HostTaskService = host.tasks;
  const end = async (text: string, finishReason = "stop") => {
    const parts = [{ type: "text", text }] as const;
    const metadata = { finishReason, muxMetadata };
    const turn = { ...attached.END, workspaceId: "c1", parts, metadata };
    expect(await tasks.finalizeWorkspaceTurnFromStreamEnd?.(turn)).toBeTruthy();
    return host.delivered.splice(0);
  };
  // It keeps its status.
  host.tasks.status = "interrupted";
  expect(await end("A guess.")).toEqual([]);
  const options = { muxMetadata: { ...muxMetadata, stopHookActive: true } };
  expect(host.sent).toMatchObject([{ message: `${HEADING}\nLook closer.`, options }]);
  expect(await end("What I found.")).toEqual(["What I found."]);
  await parentSays(host, { muxMetadata });
  expect(await end("Too long", "length")).toEqual(["Too long"]);
  host.session.queueMessage("and this");
  expect(await end("Not all.")).toEqual(["Not all."]);
});

describe("a host that reads the report from its tool call", () => {
  test("does not run hooks again for the same report at the end of the message", async () => {
    const host = await inTurn({ hook: ALWAYS });
    await report(host, "A guess.", true);
    expect(await report(host, "A guess.")).toMatchObject({ finalized: false });
    expect(await lineCount(join(host.dir, "runs"))).toBe(1);
    await report(host, "A guess.", true);
    expect(await lineCount(join(host.dir, "runs"))).toBe(2);
    expect(host.sent).toHaveLength(2);
    expect(host.delivered).toEqual([]);
  });

  test("does not run hooks for a second report in the same message", async () => {
    const host = await inTurn({ hook: ALWAYS });
    const streams = vi.spyOn(host.workspaces, "streams").mockReturnValue();
    await report(host, "A guess.", true);
    await report(host, "Another guess.", true);
    streams.mockRestore();
    host.workspaces.streams(host.session, "claude");
    await report(host, "Another guess.");
    expect(await lineCount(join(host.dir, "runs"))).toBe(1);
    expect(host.sent).toHaveLength(1);
  });

  test("gives hooks a transcript with that message (H13)", async () => {
    const host = await makeHost({ hook: 'cp "$MUX_TRANSCRIPT_PATH" seen' });
    const folder = join(host.sessions, "c1");
    const row = (id: string, parts: unknown[]) => JSON.stringify({ id, parts });
    await writeFile(join(folder, "chat.jsonl"), `${row("m1", [1])}\n${row("m2", [])}\n`);
    await writeFile(join(folder, "partial.json"), row("m2", [2]));
    await parentSays(host);
    await report(host, "What I found.", true);
    const seen = await readFile(join(host.dir, "seen"), "utf8");
    expect(seen).toBe(`${row("m1", [1])}\n${row("m2", [2])}\n`);
    expect(await readFile(join(folder, "hook-runs.jsonl"), "utf8")).toContain("SubagentStop");
  });
});

describe("a sub-agent without a report", () => {
  test.each([false, true])("is judged by its last text, once (%s)", async (wordsAreReports) => {
    const host = await inTurn({ hook: `cat >> input; ${ONCE}`, wordsAreReports });
    await host.tasks.fallbackReportMissingAgentReport(ENTRY);
    expect(host.delivered).toEqual([]);
    await host.tasks.fallbackReportMissingAgentReport(ENTRY);
    expect(host.delivered).toEqual(["(no report)"]);
    const inputs = await readFile(join(host.dir, "input"), "utf8");
    expect(inputs.match(/"last_assistant_message":"[^"]*"/g)).toEqual(
      Array(2).fill('"last_assistant_message":"Last words."')
    );
  });
});

describe("on another machine", () => {
  const onBox = async (hook?: string) => {
    const farHome = await tempDir();
    await mkdir(join(farHome, "work"));
    if (hook !== undefined) await configure(join(farHome, "work"), hook);
    const far = new TestHostRuntime({ PATH: process.env.PATH, HOME: farHome }, "~/work");
    const host = await makeHost({ runtime: "ssh", far });
    await writeFile(join(host.sessions, "c1", "chat.jsonl"), "");
    await writeFile(join(host.sessions, "p1", "chat.jsonl"), "");
    await parentSays(host);
    host.starts.settle("c1");
    return { host, far, farHome };
  };

  test("hooks run on that machine and hold the report (H28a, H33)", async () => {
    const { host, farHome } = await onBox(`pwd > ~/ran; ${ONCE}`);
    expect(await report(host, "A guess.")).toMatchObject({ finalized: false });
    expect(host.sent).toHaveLength(1);
    expect(await readFile(join(farHome, "ran"), "utf8")).toBe(`${join(farHome, "work")}\n`);
    expect(await report(host, "What I found.")).toEqual({ finalized: true });
    expect(host.lines).toEqual([]);
  });

  test("a report without hooks waits for one search, and a second report for none", async () => {
    const unhurried = await onBox();
    await expectSoon(() => unhurried.host.gate.mayHold("c1")).toBe(false);
    const { host, far } = await onBox();
    await report(host, "What I found.");
    const { count } = far;
    expect(count).toBe(unhurried.far.count);
    void report(host, "What I found.");
    expect(host.delivered).toHaveLength(2);
    expect(far.count).toBe(count);
  });
});
