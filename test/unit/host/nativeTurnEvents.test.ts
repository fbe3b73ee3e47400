/** The host's own events for turns. */
import { expect, test } from "vitest";
import { subscribeToTurnEvents } from "@/host/nativeTurnEvents";
import { StreamStarts } from "@/host/stop/StreamStarts";

test("a turn is ready when its event begins, so that a stop on another machine does not wait, and is not checked if it was interrupted (H22, H33)", async () => {
  const starts = new StreamStarts();
  const waiting: Promise<void>[] = [];
  const interrupted: string[] = [];
  const interceptor = {
    userTurnBegins: () => waiting.push(starts.next("w1")),
    interrupt: (workspaceId: string) => interrupted.push(workspaceId),
  };
  let begin: (event: unknown) => void = () => undefined;
  let end: (stop: unknown, next: () => void) => Promise<void> = () => Promise.resolve();
  const spine = {
    subscribe: (event: string, listener: typeof begin) => {
      if (event === "turn.begin") begin = listener;
    },
    use: (_: string, run: typeof end) => (end = run),
  };
  const parts = { workspaces: { streams: () => undefined }, cards: {}, starts };
  const given = [{ prototype: { spine: () => spine } }, interceptor, interceptor, parts];
  subscribeToTurnEvents(...(given as unknown as Parameters<typeof subscribeToTurnEvents>));
  const turn = {
    session: { workspaceId: "w1", hasQueuedInput: () => false },
    options: { model: "m" },
  };
  begin({ ...turn, origin: "user" });
  // An event without a workspace has no effect.
  starts.onEvent("error", null);
  await Promise.all(waiting);
  expect(waiting).toHaveLength(2);
  const interrupt = new AbortController();
  const stop = { ...turn, end: {}, signal: interrupt.signal };
  await end(stop, interrupt.abort.bind(interrupt));
  expect(interrupted).toEqual(["w1", "w1"]);
});
