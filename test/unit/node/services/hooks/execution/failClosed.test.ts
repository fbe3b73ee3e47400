import { describe, expect, test } from "vitest";
import { BuiltinHooks } from "@/node/services/hooks/contract/builtinRegistry";
import { KEPT_OUTPUT_BYTES } from "@/common/limits";
import { projectWith, says, stopWith, UNTRUSTED } from "@test/helpers/hooks/hookProject";
import { WatchedController } from "@test/helpers/hooks/stopController";

const builtins = new BuiltinHooks()
  .register("broken", () => Promise.reject(new Error("B")))
  .register("throwing", () => {
    throw new Error("T");
  })
  .register("text", () => Promise.resolve("block" as never));

const BLOCK = { decision: "block", reason: "R" };

/** Output that may be meant as a block, but cannot be used. */
const UNCLEAR: readonly [what: string, command: string, problem: RegExp][] = [
  ["JSON that is cut", says("{oops"), /is not valid JSON/],
  ["more than is kept", `printf '{'; head -c ${KEPT_OUTPUT_BYTES} /dev/zero`, /truncated/],
  ["a line after the JSON", says(`${JSON.stringify(BLOCK)}\ndone`), /is not valid JSON/],
  ["a line before it", says(`checking\n${JSON.stringify(BLOCK, undefined, 2)}`), /text precedes/],
  ["JSON of another type", says("false"), /is JSON but not an object/],
  ["an unknown decision", says({ decision: "deny", reason: "R" }), /unknown decision "deny"/],
  ["an unknown one with exit 1", says({ decision: "deny" }, { exit: 1 }), /"deny"/],
  ["a decision of the wrong type", says({ decision: true }), /"decision" has the wrong type/],
  ["a block without a reason", says({ decision: "block" }), /needs a reason/],
  ["a block whose reason is a number", says({ decision: "block", reason: 1 }), /needs a reason/],
  ["continue as text", says({ continue: "false" }), /"continue" has the wrong type/],
  ["a decision in the wrong object", says(specific(BLOCK)), /put it at the top level/],
  ["context that is a number", says(specific({ additionalContext: 1 })), /not a string/],
  ["an object for another event", says(specific({ hookEventName: "X" })), /is for "X"/],
];

describe("a failure of a hook (H44)", () => {
  const failures: [string, Record<string, unknown>, RegExp][] = [
    ["a missing program", { command: "/no/such/program", args: [] }, /could not be started/],
    ["a signal", { command: "kill -SEGV $$" }, /killed by SIGSEGV/],
    ["exit 1", { command: "echo disk full >&2; exit 1" }, /failed with exit code 1: disk full/],
    ["the time limit", { command: "sleep 60", timeout: 0.2 }, /timed out after 0\.2 s/],
    ["a rejection", { type: "builtin", name: "broken" }, /failed: B/],
    ["an exception", { type: "builtin", name: "throwing" }, /failed: T/],
    ["a built-in hook that returns text", { type: "builtin", name: "text" }, /not an object/],
    ["a request", { type: "http", url: "http://127.0.0.1:1/" }, /is not a public address/],
  ];

  test.each([true, false])("blocks for each failure with failClosed: %s", async (failClosed) => {
    const hooks = failures.map(([, fields]) => ({ ...fields, failClosed }));
    const { shouldStop, runs, warnings } = await stopWith(hooks, { builtins });
    expect(shouldStop).toBe(!failClosed);
    expect(warnings).toEqual(
      failures.map(([, , problem]) => expect.stringMatching(problem) as string)
    );
    const results = failures.map(([, , problem], i) => {
      const begin = `^The hook project:Stop\\[${i}\\] \\(.+\\) failed, so it is not.*`;
      const reason = expect.stringMatching(new RegExp(begin + problem.source, "s")) as string;
      return failClosed ? ["block", reason] : ["failed", undefined];
    });
    expect(runs.map(({ outcome, reason }) => [outcome, reason])).toEqual(results);
  });

  test("output that cannot be used, which otherwise is a warning", async () => {
    const hooks = UNCLEAR.flatMap(([, command]) => [
      { command },
      { command: ` ${command}`, failClosed: true },
    ]);
    const { runs } = await stopWith(hooks);
    const outcomes = UNCLEAR.map(([what, , problem], i) => {
      const [open, closed] = runs.slice(2 * i);
      expect([open?.warnings.join(), closed?.reason], what).toEqual([
        expect.stringMatching(problem),
        expect.stringMatching(problem),
      ]);
      return `${what}: ${open?.outcome}, ${closed?.outcome}`;
    });
    expect(outcomes).toEqual(UNCLEAR.map(([what]) => `${what}: pass, block`));
  });

  test("a failed launch blocks each time (H19a)", async () => {
    const project = await projectWith([{ command: "python3 missing.py", failClosed: true }]);
    const watched = await WatchedController.begin(project);
    expect(await watched.turnEnds()).toMatchObject({ action: "continue" });
    expect(await watched.turnEnds()).toMatchObject({ action: "continue" });
    expect(watched.notices.join()).not.toContain("does not block again");
  });
});

describe("failClosed: true does not block (H44)", () => {
  test("for hooks that do not fail or do not run", async () => {
    const { shouldStop, runs } = await stopWith(
      [
        { command: "exit 0" },
        // Plain text is not an answer (H19).
        { command: "echo checked '{}'; echo ' {\"ok\": 1}'" },
        { command: says({ decision: "approve", reason: 1 }) },
        { command: "exit 1", enabled: false },
        { command: "exit 1 ", if: "Bash(git *)" },
        { type: "prompt", prompt: "Done?" },
        { command: "exit 1  ", failClosed: "true" },
      ].map((fields) => ({ failClosed: true, ...fields }))
    );
    expect(shouldStop).toBe(true);
    expect(runs.map(({ outcome }) => outcome)).toEqual(["pass", "pass", "pass", "failed"]);
  });

  test("for a hook in the background, whose failure is reported as one (H11)", async () => {
    const deferred: Promise<unknown>[] = [];
    const outcomes: string[] = [];
    await stopWith([{ command: "exit 1", async: true, failClosed: true }], {
      onDeferredWork: (work) => deferred.push(work),
      onBackgroundRun: ({ outcome }) => outcomes.push(outcome),
    });
    await Promise.all(deferred);
    expect(outcomes).toEqual(["failed"]);
  });

  test("for a hook that returns continue: false with exit 0 (H16)", async () => {
    const command = says({ continue: false, stopReason: "S" });
    expect(await stopWith([{ command, failClosed: true }])).toMatchObject({ stopReason: "S" });
  });

  test("for a project that is not trusted (H32)", async () => {
    const project = await projectWith([{ command: "exit 1", failClosed: true }]);
    const result = await project.stop({ load: { ...project.load, trust: UNTRUSTED } });
    expect(result).toMatchObject({ shouldStop: true, runs: [] });
  });

  test("after an interrupt (H22)", async () => {
    const interrupt = new AbortController();
    const result = await stopWith([{ command: "sleep 60", failClosed: true }], {
      abortSignal: interrupt.signal,
      onEvent: ({ type }) => {
        if (type === "hook-start") interrupt.abort();
      },
    });
    expect(result).toMatchObject({ shouldStop: true, cancelled: true });
  });
});

function specific(fields: object): object {
  return { hookSpecificOutput: fields };
}
