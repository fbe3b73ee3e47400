/** Live view of a session: the exact messages to the agent, its replies and tool calls, and its hooks. */
import { isJsonObject } from "@/common/json";
import type { HookProgress } from "@/cli/render/hookProgress";
import { oneLine } from "@/cli/render/format";
import type { LiveLines } from "@/cli/render/liveLines";
import type { Style } from "@/cli/render/style";
import { plainText, clip } from "@/common/text";
import type { StopHooksResult } from "@/node/services/hooks/index";
import { isHookEvent, type ChatEvent, type ChatMessage } from "@/session";

const MAX_CHARS = 100;

/** The most informative arguments, by precedence. Only the first one present is shown. */
const SHOWN_ARGUMENTS = ["script", "file_path", "prompt", "reportMarkdown", "question"];

const RULE_WIDTH = 72;

interface SessionViewOptions {
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
        lines.print(style.red(`error: ${oneLine(event.error)}`));
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
      this.heading(`hooks → agent (continuation ${++this.#continuations})`);
    } else {
      this.#continuations = 0;
      this.heading(metadata.synthetic === true ? "mux-hooks → agent" : "you → agent");
    }
    for (const part of parts) {
      if (part.type === "text") this.#options.lines.print(plainText(part.text));
    }
  }

  #beginAgent(): void {
    if (!this.#isAgentTurn) this.heading("agent");
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

/** Returns the tool and its main argument, such as `bash: node --test`. */
function describeToolCall(name: string, args: unknown): string {
  const values = isJsonObject(args) ? args : {};
  const shownArgument = SHOWN_ARGUMENTS.map((key) => values[key]).find(
    (value) => typeof value === "string"
  );
  return clip(oneLine(shownArgument === undefined ? name : `${name}: ${shownArgument}`), MAX_CHARS);
}

/** Returns `exit 1`, `done`, the error, or the report. */
function describeToolResult(result: unknown): string {
  if (!isJsonObject(result)) return "done";
  const { error, exitCode, reportMarkdown } = result;
  if (typeof error === "string") return clip(oneLine(error), MAX_CHARS);
  if (typeof exitCode === "number") return `exit ${exitCode}`;
  if (typeof reportMarkdown === "string") return clip(oneLine(reportMarkdown), MAX_CHARS);
  return "done";
}
