/** Live view of a session: the exact messages to the agent, its replies and tool calls, and its hooks. */
import type { HookProgress } from "@/cli/render/hookProgress";
import { oneLine } from "@/cli/render/format";
import type { LiveLines } from "@/cli/render/liveLines";
import type { Style } from "@/cli/render/style";
import { describeToolCall, describeToolResult } from "@/cli/render/toolCalls";
import { plainText } from "@/common/text";
import type { StopHooksResult } from "@/node/services/hooks/index";
import { isHookEvent, type ChatEvent } from "@/node/services/session/chatEvents";
import type { ChatMessage } from "@/node/services/session/chatMessage";
import * as messages from "@/cli/messages/reports";

const RULE_WIDTH = 72;

export interface SessionViewOptions {
  readonly lines: LiveLines;
  readonly style: Style;
  readonly progress: HookProgress;
}

export class SessionView {
  readonly #options: SessionViewOptions;
  /** Text of the agent that has not been printed yet. */
  #unprinted = "";
  /** Whether the last heading was the agent's. */
  #isAgentTurn = false;
  #continuations = 0;
  #lastStop: StopHooksResult | undefined;

  constructor(options: SessionViewOptions) {
    this.#options = options;
  }

  /** The number of continuations by hooks since the last message from another sender. */
  get continuations(): number {
    return this.#continuations;
  }

  /** The result of the Stop hooks at the last stop; undefined if none ran. */
  get lastStop(): StopHooksResult | undefined {
    return this.#lastStop;
  }

  handle(event: ChatEvent): void {
    if (event.type === "stream-delta") {
      this.#unprinted += event.delta;
      return;
    }
    this.#flush();
    const { lines, style, progress } = this.#options;
    if (isHookEvent(event)) {
      if (event.type === "hooks-start") lines.print("");
      if (event.type === "hooks-end" && event.event === "Stop") this.#lastStop = event.result;
      progress.handle(event);
      return;
    }
    switch (event.type) {
      case "message":
        this.#showMessage(event);
        break;
      case "tool-call-start":
        this.#beginAgent();
        lines.print(style.cyan(`  ▸ ${describeToolCall(event.toolName, event.args)}`));
        break;
      case "tool-call-end":
        lines.print(style.dim(`    ${describeToolResult(event.result)}`));
        break;
      case "stream-error":
        lines.print(style.red(messages.streamError(oneLine(event.error))));
        break;
      default:
        // The end of the turn is printed after the session has ended.
        break;
    }
  }

  /** Prints a horizontal rule with a title. */
  heading(text: string): void {
    const { lines, style } = this.#options;
    lines.print(`\n${style.bold(`── ${text} `.padEnd(RULE_WIDTH, "─"))}`);
  }

  #showMessage({ role, parts, metadata }: ChatMessage): void {
    if (role !== "user") return;
    this.#isAgentTurn = false;
    if (metadata.muxMetadata?.stopHookActive === true) {
      this.heading(messages.hooksToAgent(++this.#continuations));
    } else {
      this.#continuations = 0;
      this.heading(
        metadata.synthetic === true ? messages.MUX_HOOKS_TO_AGENT : messages.USER_TO_AGENT
      );
    }
    for (const part of parts) {
      if (part.type === "text") this.#options.lines.print(plainText(part.text));
    }
  }

  #beginAgent(): void {
    if (!this.#isAgentTurn) this.heading(messages.AGENT);
    this.#isAgentTurn = true;
  }

  #flush(): void {
    const text = plainText(this.#unprinted).trim();
    this.#unprinted = "";
    if (text === "") return;
    this.#beginAgent();
    this.#options.lines.print(text);
  }
}
