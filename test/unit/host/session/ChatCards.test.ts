import { describe, expect, onTestFinished, test, vi } from "vitest";
import { ChatCards, HostProgress } from "@/host/session/ChatCards";
import type { WorkspaceHooksOptions } from "@/host/session/WorkspaceHooks";
import type { HookEvent, HookRun } from "@/node/services/hooks/index";
import { hookRun } from "@test/helpers/hooks/hookRun";

interface Sent {
  readonly type: string;
  readonly messageId?: string;
  readonly args?: object;
  readonly text?: string;
  readonly result?: { readonly success: boolean; readonly output: string; readonly error?: string };
}

function makeChat() {
  const sent: Sent[] = [];
  const lines: string[] = [];
  const session = {
    workspaceId: "w1",
    emitChatEvent: (event: object) => sent.push(event as Sent),
  } as unknown as WorkspaceHooksOptions["session"];
  const cards = new ChatCards((text) => lines.push(text));
  return { sent, lines, session, cards };
}

const STOP = { event: "Stop", index: 1, total: 1 } as const;
const START: HookEvent = {
  ...{ type: "hook-start", ...STOP, name: "project:Stop[0]" },
  ...{ label: "Tests", title: "npm test", timeoutMs: 180_000 },
};

const output = (text: string): HookEvent => ({
  ...{ type: "hook-output", event: "Stop", index: 1, text, isError: false },
});

function run(more: Partial<HookRun>): HookEvent {
  return { type: "hook-end", ...STOP, run: hookRun(more) };
}

describe("a card in the chat (H24)", () => {
  const show = (...events: HookEvent[]): Sent[] => {
    const { sent, session, cards } = makeChat();
    cards.useMessage(session, "m1");
    const progress = new HostProgress({ session, cards });
    for (const event of events) progress.onEvent(event);
    return sent;
  };

  test("names the hook and its time limit", () => {
    expect(show(START)).toMatchObject([
      {
        type: "tool-call-start",
        workspaceId: "w1",
        messageId: "m1",
        replay: true,
        executionStartedAt: expect.any(Number) as number,
        args: {
          script: "Stop hook: Tests: npm test",
          display_name: "Stop hook: Tests",
          timeout_secs: 180,
        },
      },
    ]);
  });

  test.each<[string, Partial<HookRun>, object]>([
    ["passes", { stdout: "ok" }, { success: true, exitCode: 0, output: "ok" }],
    [
      "blocks",
      { outcome: "block", reason: "More." },
      { success: false, exitCode: 2, output: "More." },
    ],
    ["fails", { outcome: "failed", warnings: ["late"] }, { success: false, error: "late" }],
    ["runs in the background", { outcome: "background" }, { success: true }],
    ["reached its own limit", { outcome: "ignored", warnings: ["no effect"] }, { success: false }],
  ])("shows a hook that %s", (_, end, result) => {
    expect(show(START, run(end)).at(-1)).toMatchObject({ type: "tool-call-end", result });
  });

  test("ends with the stop if the hook was interrupted, and only once", () => {
    const cancelled = { shouldStop: true, cancelled: true };
    const over: HookEvent = { type: "hooks-end", ...STOP, durationMs: 1, result: cancelled };
    const sent = show(START, over, run({ outcome: "cancelled" }));
    expect(sent.filter(({ type }) => type === "tool-call-end")).toMatchObject([
      { result: { success: false, error: "cancelled" } },
    ]);
  });

  test("has one line for a title, and no character that reorders or hides text", () => {
    const hostile = "npm \u202etest\n\u0000\u001b]0;x\u0007\u2066<b>*x*</b>\ufffd";
    const [start, middle, end] = show(
      { ...START, label: hostile, title: hostile },
      output(hostile),
      run({ outcome: "failed", warnings: [hostile], stdout: hostile })
    );
    const lines = "npm \\u202etest\n\\u2066<b>*x*</b>\ufffd";
    expect(start?.args).toMatchObject({
      display_name: `Stop hook: ${lines.replace("\n", "\\n")}`,
      script: `Stop hook: ${lines}`,
    });
    expect(middle?.text).toBe(lines);
    expect(end?.result).toMatchObject({ output: lines, error: lines });
  });

  test.each([
    "\u001b|[31m",
    "\u001b[3|1m",
    "\u009b3|1m",
    "\u001b]0;ti|tle\u0007",
    "\u001b]0;title\u001b|\\",
  ])("shows nothing of a control sequence that arrives in two parts: %j (H20a)", (sequence) => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { sent, session, cards } = makeChat();
    cards.useMessage(session, "m1");
    const card = cards.start(session, { title: "t", script: "s" });
    for (const part of `a${sequence}red\n`.split("|")) {
      card?.output(part, false);
      vi.runAllTimers();
    }
    card?.end({ exitCode: 0, output: "", durationMs: 1 });
    const shown = sent.filter(({ type }) => type === "bash-output").map(({ text }) => text);
    expect(shown).toEqual(["a", "red\n"]);
  });

  test("keeps little of endless output between two looks", () => {
    const { sent, session, cards } = makeChat();
    cards.useMessage(session, "m1");
    const card = cards.start(session, { title: "t", script: "x".repeat(65_536) });
    for (let i = 0; i < 100_000; i++) card?.output("line of output\n", false);
    card?.output("x".repeat(10_000_000), true);
    card?.end({ exitCode: 0, output: "", durationMs: 1 });
    expect(JSON.stringify(sent).length).toBeLessThan(50_000);
  });

  test("joins output, and contains neither control sequences nor more than 10,000 characters", () => {
    const long = "x".repeat(40_000);
    const sent = show(START, output("\u001b[31mred\u001b[0m"), output(long), run({ stdout: long }));
    const shown = sent.filter(({ type }) => type === "bash-output").map(({ text = "" }) => text);
    expect(shown).toEqual([expect.stringMatching(/^redx+…$/)]);
    expect(shown[0]).toHaveLength(10_000);
    expect(sent.at(-1)?.result?.output).toHaveLength(10_000);
  });
});

describe("a notice for the user (H23)", () => {
  test("is logged, and is a failed card once the chat has a message", () => {
    const { sent, lines, session, cards } = makeChat();
    for (let i = 0; i < 30; i++) cards.notify(session, `Problem ${i}.`);
    cards.notify(undefined, "Without a chat.");
    expect(lines).toHaveLength(31);
    expect(sent).toEqual([]);
    cards.useMessage(session, "m1");
    const ends = sent.filter(({ type }) => type === "tool-call-end");
    expect(ends).toHaveLength(20);
    expect(ends[0]).toMatchObject({ result: { success: false, error: "Problem 0." } });
    cards.useMessage(session, "m2");
    cards.notify(session, "All is well.", "info");
    const result = { success: true, output: "All is well." };
    expect(sent.at(-1)).toMatchObject({ messageId: "m2", result });
  });

  test("does not depend on a host that throws or shows nothing", () => {
    const { lines, cards } = makeChat();
    const throws = {
      workspaceId: "w1",
      emitChatEvent: () => {
        throw new Error("disposed");
      },
    } as unknown as WorkspaceHooksOptions["session"];
    const silent = { workspaceId: "w2" } as WorkspaceHooksOptions["session"];
    for (const session of [throws, silent]) {
      cards.useMessage(session, "m1");
      cards.notify(session, "A problem.");
    }
    expect(lines).toEqual(["A problem.", "A problem."]);
  });
});
