import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import type * as aiServiceTypes from "@/node/services/session/aiServiceTypes";
import { finalText, reportOf } from "@/common/chatMessage";
import { ScriptedAIService } from "@/node/services/session/scriptedAIService";
import { defineTool } from "@/node/services/session/toolHost";
import { turnScriptSchema } from "@/node/services/session/scriptedTurns";

const echo = defineTool("bash", z.object({ script: z.string() }), ({ script }) =>
  Promise.resolve({ success: true, output: script })
);
const forever: aiServiceTypes.Tool = {
  name: "bash",
  execute: (_input, { abortSignal }) =>
    new Promise((resolve) => {
      abortSignal.addEventListener("abort", () => {
        resolve("ended");
      });
    }),
};

class Player {
  readonly events: aiServiceTypes.AIServiceEvent[] = [];
  readonly service: ScriptedAIService;
  readonly #abort = new AbortController();
  #calls = 0;

  constructor(
    turns: readonly unknown[],
    private readonly tools: readonly aiServiceTypes.Tool[] = [echo]
  ) {
    this.service = new ScriptedAIService(turnScriptSchema.parse({ turns }));
    this.service.onEvent((event) => this.events.push(event));
  }

  abort(): void {
    this.#abort.abort();
  }

  async start(workspaceId = "workspace-1") {
    const tools: aiServiceTypes.ToolSet = new Map(this.tools.map((tool) => [tool.name, tool]));
    const request: aiServiceTypes.StreamRequest = {
      workspaceId,
      messageId: `assistant-${this.#calls++}`,
      historySequence: 1,
      model: "scripted:agent",
      options: {},
      messages: [],
      tools,
    };
    return await this.service.streamMessage(request, { abortSignal: this.#abort.signal });
  }

  async play(): Promise<aiServiceTypes.AIServiceEvent[]> {
    const from = this.events.length;
    const over = new Promise<void>((resolve) => {
      const stop = this.service.onEvent(({ type }) => {
        if (!["stream-end", "stream-abort", "error"].includes(type)) return;
        stop();
        resolve();
      });
    });
    await this.start();
    await over;
    return this.events.slice(from);
  }
}

describe("ScriptedAIService", () => {
  test("sends text in parts that join to the whole", async () => {
    const text = `Ünï\u{1f600}\n${"word ".repeat(30)}`;
    const events = await new Player([text]).play();
    const deltas = events.flatMap((event) => (event.type === "stream-delta" ? [event.delta] : []));
    expect(deltas.length).toBeGreaterThan(2);
    expect(deltas.join("")).toBe(text);
    const end = events.at(-1);
    expect(end?.type === "stream-end" && finalText(end.parts)).toBe(text);
  });

  test("plays the next turn on every call, and sends a default text after the last one", async () => {
    const player = new Player(["One."]);
    await player.play();
    const [, delta] = await player.play();
    expect(delta).toMatchObject({ type: "stream-delta", delta: "There is nothing left to do." });
  });

  test("returns an error of a tool to the agent if the call fails, and continues the turn", async () => {
    const strict = defineTool("bash", z.object({ script: z.number() }), () => Promise.resolve(1));
    const broken = defineTool("file_write", z.looseObject({}), () => {
      throw new Error("no disk");
    });
    const turn = [
      { bash: "ls" },
      { write: { path: "a", content: "" } },
      { report: "r" },
      { say: "Done." },
    ];
    const events = await new Player([turn], [strict, broken]).play();
    const errors = events.flatMap((event) =>
      event.type === "tool-call-end" ? [(event.result as { error: string }).error] : []
    );
    expect(errors[0]).toMatch(/^bash: .*expected number/s);
    expect(errors[1]).toBe("file_write failed: no disk");
    expect(errors[2]).toBe("this session has no tool agent_report");
    expect(events.at(-1)?.type).toBe("stream-end");
  });

  test.each(["stopStream", "the signal"])("%s ends a turn in the middle of a tool", async (how) => {
    const player = new Player([[{ bash: "sleep" }, { say: "never" }]], [forever]);
    const playing = player.play();
    if (how === "the signal") player.abort();
    await player.service.stopStream("workspace-1");
    const events = await playing;
    expect(events.at(-1)).toMatchObject({ type: "stream-abort", abortReason: "user" });
    expect(events.map(({ type }) => type)).not.toContain("stream-delta");
  });

  test("streams in two workspaces at once, but only once per workspace", async () => {
    const player = new Player([[{ bash: "x" }], [{ bash: "y" }], []], [forever]);
    expect((await player.start("workspace-1")).isOk()).toBe(true);
    expect((await player.start("workspace-2")).isOk()).toBe(true);
    const refused = await player.start("workspace-1");
    expect(refused._unsafeUnwrapErr().error).toContain("workspace-1");
    player.abort();
    await player.service.stopStream("workspace-1");
    await player.service.stopStream("workspace-2");
  });
});

describe("the final text of a message", () => {
  const text = (words: string) => ({ type: "text" as const, text: words });
  const call = (toolName: string, input: unknown) => ({
    type: "dynamic-tool" as const,
    toolCallId: "1",
    toolName,
    input,
    state: "output-available" as const,
  });

  test("is the text after the last tool call, with adjacent parts joined (H13)", () => {
    expect(finalText([text("a"), call("bash", {}), text("b"), text("c")])).toBe("bc");
    expect(finalText([text("a"), call("bash", {})])).toBe("");
    expect(finalText([])).toBe("");
  });

  test("is replaced by the last report, if there is one (H28a)", () => {
    const report = (reportMarkdown: unknown) => call("agent_report", { reportMarkdown });
    expect(reportOf([report("one"), report("two"), text("bye")])).toBe("two");
    expect(reportOf([report(7), text("bye")])).toBe("bye");
    expect(reportOf([text("bye")])).toBe("bye");
  });
});
