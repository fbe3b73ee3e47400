import { EventEmitter } from "node:events";
import { setImmediate as nextTick } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { attachRun, exitUnverified, type RunSession } from "@/host/run/patchMuxRun";

type Sent = Awaited<ReturnType<RunSession["sendMessage"]>>;
type Chat = Parameters<Parameters<RunSession["onChatEvent"]>[0]>[0]["message"];

const OK: Sent = { success: true, data: undefined };

/** Returns a new class with the parts of a session that the command line and `attachRun` use. */
function makeClass() {
  return class FakeSession {
    readonly emitter = new EventEmitter();
    readonly workspaceId: string = "w";
    /** Results of the next messages. */
    answers: (Sent | Error)[] = [];

    sendMessage(): Promise<Sent> {
      const answer = this.answers.shift() ?? OK;
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    }
    subscribeChat(): Promise<void> {
      return Promise.resolve();
    }
    onChatEvent(listener: (event: { message: Chat }) => void): () => void {
      this.emitter.on("chat-event", listener);
      return () => this.emitter.off("chat-event", listener);
    }
    interruptStream(): Promise<void> {
      return Promise.resolve();
    }
    dispose(): void {
      this.emitter.removeAllListeners();
    }
    chat(type: string, error?: unknown): void {
      this.emitter.emit("chat-event", { message: { type, error } });
    }
  };
}
type FakeSession = InstanceType<ReturnType<typeof makeClass>>;

type Listener = (reason: unknown, promise: Promise<unknown>) => void;
let onRejection: Listener | undefined;
let continues = false;
let Session: ReturnType<typeof makeClass>;
const gate = { continues: () => continues, leave: () => Promise.resolve() };

beforeEach(() => {
  continues = false;
  Session = makeClass();
  const before = process.listeners("unhandledRejection");
  attachRun((Session as unknown as { prototype: RunSession }).prototype, gate);
  onRejection = process
    .listeners("unhandledRejection")
    .find((listener) => !before.includes(listener));
});

afterEach(() => {
  if (onRejection !== undefined) process.off("unhandledRejection", onRejection);
  vi.useRealTimers();
});

interface Running {
  readonly session: FakeSession;
  readonly answer: Promise<Sent>;
  answered: Sent | undefined;
}

/** Subscribes, sends the message of the command line, and starts the stream. */
async function run(...answers: Sent[]): Promise<Running> {
  const session = new Session();
  session.answers = answers;
  await session.subscribeChat();
  const answer = session.sendMessage();
  const running: Running = { session, answer, answered: undefined };
  void answer.then((sent) => (running.answered = sent));
  await Promise.resolve();
  session.chat("stream-start");
  return running;
}

/** Ends a turn for which the hooks request a continuation, and sends the message that they have queued. */
function goesOn({ session }: Running): Promise<Sent> {
  continues = true;
  session.chat("stream-end");
  continues = false;
  return session.sendMessage();
}

const FAILED = "the continuation that the Stop hooks requested failed";

describe("the result of the message of `mux run`", () => {
  test.each([
    ["stream-error", "overloaded", "overloaded"],
    ["stream-abort", undefined, "the turn was interrupted"],
  ])("fails at a %s of a continuation", async (type, error, reason) => {
    const running = await run();
    await goesOn(running);
    running.session.chat(type, error);
    const raw = `${FAILED}: ${reason}`;
    expect(await running.answer).toEqual({ success: false, error: { type: "unknown", raw } });
  });

  test("is the host's own error if the continuation could not be sent", async () => {
    const refused: Sent = { success: false, error: { type: "api_key_not_found" } };
    const running = await run(OK, refused);
    expect(await goesOn(running)).toEqual(refused);
    expect(await running.answer).toEqual(refused);
  });

  test("fails if sending the continuation throws", async () => {
    const running = await run();
    running.session.answers = [new Error("no disk")];
    await expect(goesOn(running)).rejects.toThrow("no disk");
    expect(await running.answer).toMatchObject({ error: { raw: `${FAILED}: no disk` } });
  });

  test("fails if the host never sends the continuation, instead of waiting forever", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const running = await run();
    continues = true;
    running.session.chat("stream-end");
    vi.advanceTimersByTime(30_000);
    const raw = `${FAILED}: Mux did not send it within 30 s`;
    expect(await running.answer).toMatchObject({ error: { raw } });
  });

  test("does not take the end of a compaction for the end of the continuation", async () => {
    const running = await run();
    await goesOn(running);
    running.session.chat("auto-compaction-triggered");
    running.session.chat("stream-end");
    await nextTick();
    expect(running.answered).toBeUndefined();
    running.session.chat("stream-end");
    expect(await running.answer).toEqual(OK);
  });

  test("resolves when the session is disposed of", async () => {
    const running = await run();
    running.session.dispose();
    expect(await running.answer).toEqual(OK);
  });

  test("resolves if a listener of the command line throws, so that it receives the error", async () => {
    const running = await run();
    const error = new Error("Cannot enforce budget");
    error.stack = "Error: Cannot\n    at chatListener (/opt/mux/dist/cli/run.js:1:1)";
    onRejection?.(error, Promise.resolve());
    expect(await running.answer).toEqual(OK);
  });
});

test("rethrows a rejection that does not come from the command line", () => {
  const foreign = new Error("elsewhere");
  expect(() => onRejection?.(foreign, Promise.resolve())).toThrow(foreign);
});

test("leaves a host without the required methods unchanged, and logs them", () => {
  const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const old = { sendMessage: () => Promise.resolve(OK), subscribeChat: () => Promise.resolve() };
  const { sendMessage } = old;
  attachRun(old as unknown as RunSession, gate);
  expect(old.sendMessage).toBe(sendMessage);
  expect(written.mock.calls.map(([text]) => text)).toEqual([
    "[mux-stop-hooks] `mux run` does not wait for hooks: this version of Mux has no AgentSession.onChatEvent, no AgentSession.interruptStream\n",
  ]);
  written.mockRestore();
});

test("removes its listener when it returns the result, and adds one for the next message", async () => {
  const running = await run();
  running.session.chat("stream-end");
  await running.answer;
  expect(running.session.emitter.listenerCount("chat-event")).toBe(0);
  const next = running.session.sendMessage();
  expect(running.session.emitter.listenerCount("chat-event")).toBe(1);
  running.session.chat("stream-end");
  expect(await next).toEqual(OK);
});

test("returns a rejected message at once, and does not hold the sessions of sub-agents", async () => {
  const refused: Sent = { success: false, error: { type: "unknown" } };
  expect(await (await run(refused)).answer).toEqual(refused);
  const child = new Session();
  expect(await child.sendMessage()).toEqual(OK);
  expect(child.emitter.listenerCount("chat-event")).toBe(0);
});

test.each(["00", "256"])("the exit code %s after an unverified stop has no effect", (code) => {
  const host = { env: { MUX_HOOKS_UNVERIFIED_EXIT: code }, on: vi.fn() };
  exitUnverified(host as unknown as NodeJS.Process, () => "not checked");
  expect(host.on).not.toHaveBeenCalled();
});
