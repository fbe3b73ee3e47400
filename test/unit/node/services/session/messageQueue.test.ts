import { describe, expect, test } from "vitest";
import * as messageQueue from "@/node/services/session/messageQueue";

const typed = (text: string, options = {}): messageQueue.OutgoingMessage => ({
  kind: "user",
  text,
  options,
});
const news = typed("a task ended", { synthetic: true });
const continuation = messageQueue.continuationOf("[Stop hook requested continuation]\nGo on.", {});
const compaction = messageQueue.compactionRequest({});

function queueOf(...messages: messageQueue.OutgoingMessage[]): messageQueue.MessageQueue {
  const queue = new messageQueue.MessageQueue();
  for (const message of messages) queue.add(message);
  return queue;
}

function drain(queue: messageQueue.MessageQueue): messageQueue.OutgoingMessage[] {
  const message = queue.take();
  return message === undefined ? [] : [message, ...drain(queue)];
}

describe("MessageQueue", () => {
  test("joins consecutive messages of a user, with the last options", () => {
    const queue = queueOf(typed("first", { model: "a" }), typed("second", { model: "b" }));
    expect(drain(queue)).toEqual([typed("first\nsecond", { model: "b" })]);
  });

  test.each([
    ["a message of the session's own", news],
    ["a compaction", compaction],
    ["a message with metadata", typed("first", { muxMetadata: { type: "skill" } })],
  ])("never joins a user's message with %s", (_what, other) => {
    expect(drain(queueOf(other, typed("second")))).toEqual([other, typed("second")]);
  });

  test("sends the news of a task before a continuation, which is dropped", () => {
    expect(drain(queueOf(news, continuation))).toEqual([news]);
  });

  test("returns typed messages on an interrupt, and keeps only news (H22)", () => {
    const queue = queueOf(typed("first"), news, compaction, typed("second"));
    queue.addFirst(messageQueue.afterOverflow(typed("again"), {}));
    expect(queue.interrupt()).toEqual(["first", "second"]);
    expect(drain(queue)).toEqual([news]);
  });

  test("drops its own messages after an error, and keeps those of others", () => {
    const queue = queueOf(typed("first"), news);
    queue.addFirst([...messageQueue.afterOverflow(continuation, {}), continuation]);
    queue.dropOwn();
    expect(drain(queue)).toEqual([typed("first"), news]);
  });
});
