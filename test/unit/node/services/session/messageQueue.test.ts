import { describe, expect, test } from "vitest";
import { MessageQueue } from "@/node/services/session/messageQueue";
import {
  afterOverflow,
  compactionRequest,
  continuationOf,
  type OutgoingMessage,
} from "@/node/services/session/outgoing";

const typed = (text: string, options = {}): OutgoingMessage => ({ kind: "user", text, options });
const news = typed("a task ended", { synthetic: true });
const continuation = continuationOf("[Stop hook requested continuation]\nGo on.", {});
const compaction = compactionRequest({});

function queueOf(...messages: OutgoingMessage[]): MessageQueue {
  const queue = new MessageQueue();
  for (const message of messages) queue.add(message);
  return queue;
}

function drain(queue: MessageQueue): OutgoingMessage[] {
  const message = queue.take();
  return message === undefined ? [] : [message, ...drain(queue)];
}

describe("MessageQueue", () => {
  test("what a user types in a row is one message, with the last options", () => {
    const queue = queueOf(typed("first", { model: "a" }), typed("second", { model: "b" }));
    expect(drain(queue)).toEqual([typed("first\nsecond", { model: "b" })]);
  });

  test.each([
    ["a message of the session's own", news],
    ["a compaction", compaction],
    ["a message that carries something", typed("first", { muxMetadata: { type: "skill" } })],
  ])("a user's message is never mixed with %s", (_what, other) => {
    expect(drain(queueOf(other, typed("second")))).toEqual([other, typed("second")]);
  });

  test("a user's message goes before what hooks asked for, which is dropped (H28)", () => {
    expect(drain(queueOf(continuation, typed("wait")))).toEqual([typed("wait")]);
  });

  test("so does news from a task", () => {
    expect(drain(queueOf(news, continuation))).toEqual([news]);
  });

  test("a compaction is no input, and what hooks asked for survives it", () => {
    const queue = queueOf(compaction, continuation);
    expect(queue.hasInput).toBe(false);
    expect(drain(queue)).toEqual([compaction, continuation]);
  });

  test("after an overflow the history is summed up first, then the message is sent again", () => {
    const queue = queueOf(typed("next"));
    queue.addFirst(afterOverflow(typed("too long"), {}));
    expect(drain(queue).map(({ kind, text }) => (kind === "user" ? text : kind))).toEqual([
      "compaction",
      "too long",
      "next",
    ]);
  });

  test("an interrupt hands back what was typed and keeps news alone (H22)", () => {
    const queue = queueOf(typed("first"), news, compaction, typed("second"));
    queue.addFirst(afterOverflow(typed("again"), {}));
    expect(queue.interrupt()).toEqual(["first", "second"]);
    expect(drain(queue)).toEqual([news]);
  });

  test("after an error the session forgets its own plans, and no word of others", () => {
    const queue = queueOf(typed("first"), news);
    queue.addFirst([...afterOverflow(continuation, {}), continuation]);
    queue.dropOwn();
    expect(drain(queue)).toEqual([typed("first"), news]);
  });
});
