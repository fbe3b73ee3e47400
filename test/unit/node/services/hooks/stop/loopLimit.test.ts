import { expect, test } from "vitest";
import {
  block,
  projectWith,
  says,
  sent,
  stopWith,
  type Hook,
} from "@test/helpers/hooks/hookProject";
import { WatchedController } from "@test/helpers/hooks/stopController";

async function watch(hooks: Hook[], maxContinuations = 50): Promise<WatchedController> {
  const settings = { stopHooks: { maxContinuations } };
  return await WatchedController.begin(await projectWith(hooks, { settings }));
}

test("after its limit a handler only runs for the record, and the user is notified (H45)", async () => {
  const watched = await watch([{ command: block("A"), loop_limit: 2 }]);
  expect(await watched.turnEnds()).toMatchObject(sent("A"));
  expect(await watched.turnEnds()).toMatchObject(sent("A"));
  expect(watched.notices).toEqual([]);
  expect(await watched.turnEnds()).toEqual({
    action: "end",
    reason: "project:Stop[0] had reached the loop_limit",
    unverified: true,
  });
  expect(watched.notices).toEqual([
    expect.stringMatching(
      /^project:Stop\[0\] \(.*\): its decision has no effect, because it has requested 2 continuations in this turn, which is its limit \("loop_limit" at .*settings\.json:\d+\); it still returned: A$/
    ),
  ]);
  const ends = watched.events.flatMap((event) => (event.type === "hook-end" ? [event.run] : []));
  expect(ends.map(({ outcome, reason }) => [outcome, reason])).toEqual([
    ["block", "A"],
    ["block", "A"],
    ["ignored", "A"],
  ]);
  await watched.controller.beginTurn();
  expect(await watched.turnEnds()).toMatchObject(sent("A"));
});

test("other hooks still block, and only continuations that the handler requested count (H45)", async () => {
  const once = '[ "$MUX_CONTINUATION" = 1 ] && exit 0; echo A >&2; exit 2';
  const watched = await watch([{ command: once, loop_limit: 2 }, block("B")]);
  for (const reason of ["A\n\nB", "B", "A\n\nB", "B"]) {
    expect(await watched.turnEnds()).toMatchObject(sent(reason));
  }
});

test("a continuation that the limit of the turn rejected does not count (H26, H45)", async () => {
  const watched = await watch([{ command: block("A"), loop_limit: 2 }], 1);
  expect(await watched.turnEnds()).toMatchObject(sent("A"));
  const reason = expect.stringContaining("stopHooks.maxContinuations") as string;
  expect(await watched.turnEnds()).toMatchObject({ reason });
  expect(await watched.turnEnds()).toMatchObject({ reason });
});

test.each<[string, unknown]>([
  ["additional context", { hookSpecificOutput: { additionalContext: "C" } }],
  ["continue: false", { continue: false, stopReason: "C" }],
])(
  "%s of a handler with the limit 0 has no effect, but its message is shown (H45)",
  async (_, output) => {
    const both = { ...(output as object), systemMessage: "M" };
    const result = await stopWith([{ command: says(both), loop_limit: 0 }, block("B")]);
    expect(result).toMatchObject({ continueReason: "B", systemMessages: ["M"] });
    expect(result.warnings).toEqual([expect.stringMatching(/0 continuations .* returned: C$/)]);
  }
);

test("failures that block count as well (H44, H45)", async () => {
  const watched = await watch([{ command: "exit 1", failClosed: true, loop_limit: 1 }]);
  expect(await watched.turnEnds()).toMatchObject({ action: "continue" });
  expect(await watched.turnEnds()).toMatchObject({ action: "end" });
});

test("a loop_limit that is not an integer from 0 is a warning and has no effect (H45)", async () => {
  const limits = [-1, 1.5, "2", null, true];
  const hooks = limits.map((loop_limit, i) => ({ command: `${block("A")} #${i}`, loop_limit }));
  const { runs, warnings } = await stopWith(hooks);
  expect(runs.map(({ outcome }) => outcome)).toEqual(limits.map(() => "block"));
  const problem = "loop_limit: expected an integer from 0, found .*; the default";
  expect(warnings).toEqual(
    limits.map((_, i) => expect.stringMatching(`hooks\\[${i}\\]\\.${problem}`) as string)
  );
});
