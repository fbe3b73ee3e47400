import { EventEmitter } from "node:events";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { attachRun, type RunSession } from "@/host/run/runUntilIdle";

type Sent = Awaited<ReturnType<RunSession["sendMessage"]>>;
type Chat = Parameters<Parameters<RunSession["onChatEvent"]>[0]>[0]["message"];

const OK: Sent = { success: true, data: undefined };

/** As much of a conversation as the command line and the hold touch. */
class FakeSession {
  readonly emitter = new EventEmitter();
  readonly workspaceId: string = "w";
  /** What the next messages are answered with. */
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
}

type Listener = (reason: unknown, promise: Promise<unknown>) => void;
let onRejection: Listener | undefined;
let continues = false;
let leaving: Promise<void>;
let Session: new () => FakeSession;

beforeEach(() => {
  continues = false;
  leaving = Promise.resolve();
  Session = class extends FakeSession {
    override sendMessage(): Promise<Sent> {
      return super.sendMessage();
    }
    override subscribeChat(): Promise<void> {
      return super.subscribeChat();
    }
    override interruptStream(): Promise<void> {
      return super.interruptStream();
    }
    override dispose(): void {
      super.dispose();
    }
  };
  const before = process.listeners("unhandledRejection");
  attachRun((Session as unknown as { prototype: RunSession }).prototype, {
    continues: () => continues,
    leave: () => leaving,
  });
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

/** The command line listens and sends its message, and the model begins. */
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

/** A turn ends, and the hooks want the agent to go on: the host sends the message that they have queued. */
function goesOn({ session }: Running): Promise<Sent> {
  continues = true;
  session.chat("stream-end");
  continues = false;
  return session.sendMessage();
}

/** Everything that can happen without time passing. */
async function settled(): Promise<void> {
  await new Promise((resolve) => {
    process.nextTick(resolve);
  });
}

const FAILED = "the continuation that the Stop hooks asked for failed";

describe("the answer to the message of `mux run`", () => {
  test("comes once nothing of ours is left on another machine", async () => {
    let leave = (): void => undefined;
    leaving = new Promise((resolve) => (leave = resolve));
    const running = await run();
    running.session.chat("stream-end");
    await settled();
    expect(running.answered).toBeUndefined();
    leave();
    expect(await running.answer).toEqual(OK);
  });

  test("comes with the end of the turn where no hook wants more", async () => {
    const running = await run();
    await settled();
    expect(running.answered).toBeUndefined();
    running.session.chat("stream-end");
    await settled();
    expect(running.answered).toEqual(OK);
  });

  test("waits for the last turn that the hooks ask for", async () => {
    const running = await run();
    expect(await goesOn(running)).toEqual(OK);
    expect(await goesOn(running)).toEqual(OK);
    await settled();
    expect(running.answered).toBeUndefined();
    running.session.chat("stream-end");
    await settled();
    expect(running.answered).toEqual(OK);
  });

  test("is a failure where a continuation fails, with the model's words", async () => {
    const running = await run();
    await goesOn(running);
    running.session.chat("stream-error", "overloaded");
    expect(await running.answer).toEqual({
      success: false,
      error: { type: "unknown", raw: `${FAILED}: overloaded` },
    });
  });

  test("is a failure where a continuation is cut off", async () => {
    const running = await run();
    await goesOn(running);
    running.session.chat("stream-abort");
    expect(await running.answer).toMatchObject({
      error: { raw: `${FAILED}: the turn was interrupted` },
    });
  });

  test("is the host's own error where the continuation could not be sent", async () => {
    const refused: Sent = { success: false, error: { type: "api_key_not_found" } };
    const running = await run(OK, refused);
    expect(await goesOn(running)).toEqual(refused);
    expect(await running.answer).toEqual(refused);
  });

  test("is a failure where sending the continuation throws", async () => {
    const running = await run();
    running.session.answers = [new Error("no disk")];
    await expect(goesOn(running)).rejects.toThrow("no disk");
    expect(await running.answer).toMatchObject({ error: { raw: `${FAILED}: no disk` } });
  });

  test("is a failure where the host never takes the continuation up, in place of waiting for ever", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const running = await run();
    continues = true;
    running.session.chat("stream-end");
    vi.advanceTimersByTime(30_000);
    expect(await running.answer).toMatchObject({
      error: { raw: `${FAILED}: the host has not sent it` },
    });
  });

  test.each(["stream-error", "stream-abort"])(
    "leaves a %s of the first turn to the command line, which has seen it",
    async (type) => {
      const running = await run();
      running.session.chat(type, "overloaded");
      await settled();
      expect(running.answered).toEqual(OK);
    }
  );

  test("leaves what the command line interrupts itself to it, as at its budget", async () => {
    const running = await run();
    await goesOn(running);
    await running.session.interruptStream();
    running.session.chat("stream-abort");
    expect(await running.answer).toEqual(OK);
  });

  test("does not take the end of a summary for the end of the continuation", async () => {
    const running = await run();
    await goesOn(running);
    running.session.chat("auto-compaction-triggered");
    running.session.chat("stream-end");
    await settled();
    expect(running.answered).toBeUndefined();
    running.session.chat("stream-end");
    expect(await running.answer).toEqual(OK);
  });

  test("comes when the conversation is disposed of", async () => {
    const running = await run();
    running.session.dispose();
    expect(await running.answer).toEqual(OK);
  });

  test("comes when the command line has made an error of an event, so that it sees it", async () => {
    const running = await run();
    const error = new Error("Cannot enforce budget");
    error.stack =
      "Error: Cannot enforce budget\n    at chatListener (/opt/mux/dist/cli/run.js:1:1)";
    onRejection?.(error, Promise.resolve());
    expect(await running.answer).toEqual(OK);
  });
});

test("a rejection that is not the command line's ends the process as ever", () => {
  const foreign = new Error("elsewhere");
  expect(() => onRejection?.(foreign, Promise.resolve())).toThrow(foreign);
});

test("a host that it cannot hold in is left as it is, and that is said", () => {
  const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const old = { sendMessage: () => Promise.resolve(OK), subscribeChat: () => Promise.resolve() };
  const { sendMessage } = old;
  attachRun(old as unknown as RunSession, {
    continues: () => true,
    leave: () => Promise.resolve(),
  });
  expect(old.sendMessage).toBe(sendMessage);
  expect(written.mock.calls.map(([text]) => text)).toEqual([
    "[mux-stop-hooks] this command does not wait for hooks: the host has no AgentSession.onChatEvent, no interruptStream\n",
  ]);
  written.mockRestore();
});

test("a message that is refused is answered at once", async () => {
  const refused: Sent = { success: false, error: { type: "unknown" } };
  expect(await (await run(refused)).answer).toEqual(refused);
});

test("nobody listens any more once it is answered, and the next message is held again", async () => {
  const running = await run();
  running.session.chat("stream-end");
  await running.answer;
  expect(running.session.emitter.listenerCount("chat-event")).toBe(0);
  const next = running.session.sendMessage();
  expect(running.session.emitter.listenerCount("chat-event")).toBe(1);
  running.session.chat("stream-end");
  expect(await next).toEqual(OK);
});

test("the conversations of sub-agents are not held", async () => {
  await run();
  const child = new Session();
  expect(await child.sendMessage()).toEqual(OK);
  expect(child.emitter.listenerCount("chat-event")).toBe(0);
});
