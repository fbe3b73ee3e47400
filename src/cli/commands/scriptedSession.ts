/**
 * `mux-stop-hooks hooks run`: runs a session with the hooks of the project and an agent that follows a script (a YAML
 * file) instead of a model, and prints its events. The verdicts of hooks do not change the exit code.
 */
import { NO_HOOK_RAN } from "@/cli/messages/shared";
import { randomBytes } from "node:crypto";
import { resolve } from "node:path";
import { type CliContext, EXIT, type ExitCode, printError } from "@/cli/context";
import type { CliWorkspace } from "@/cli/remoteWorkspace";
import { withWorkspace, type WorkspaceOption } from "@/cli/workspace";
import { HookProgress } from "@/cli/render/hookProgress";
import { LiveLines } from "@/cli/render/liveLines";
import { isLive, styleFor, type Style } from "@/cli/render/style";
import { withTempDir } from "@/cli/testSession";
import { formatDiagnostic } from "@/common/diagnostics";
import * as sessions from "@/session";
import { findPersonFiles, hookLoadOptions } from "@/wiring";
import { plural, plainText, clip } from "@/common/safeText";
import { oneLine } from "@/cli/render/formatText";
import { describeEnd, type StopHooksResult } from "@/node/services/hooks/index";
import { objectOf } from "@/common/json";

/**
 * Runs the session, and prints its events.
 *
 * @param options.script a YAML file with the agent's turns
 * @returns code 1 if the turn ended with an error; the verdicts of hooks do not change it
 */
export async function run(
  message: string,
  options: WorkspaceOption & { readonly script: string; readonly sessionDir?: string },
  context: CliContext
): Promise<ExitCode> {
  return await withWorkspace(options, context, async (workspace) => {
    const scriptPath = resolve(context.cwd, options.script);
    const script = await sessions.loadTurnScript(workspace.runtime.host, scriptPath);
    if (script.isErr()) {
      return printError(context, script.error.map(formatDiagnostic).join("\nmux-stop-hooks: "));
    }
    const play = (sessionDir: string): Promise<ExitCode> =>
      playSession(message, script.value, sessionDir, workspace, context);
    return options.sessionDir === undefined
      ? await withTempDir(play)
      : await play(resolve(context.cwd, options.sessionDir));
  });
}

async function playSession(
  message: string,
  script: sessions.TurnScript,
  sessionDir: string,
  { runtime, projectDir }: CliWorkspace,
  context: CliContext
): Promise<ExitCode> {
  const load = hookLoadOptions(runtime, context);
  const opened = await sessions.AgentSession.open({
    workspaceId: `run-${randomBytes(4).toString("hex")}`,
    projectDir,
    sessionDir,
    runtime,
    aiService: new sessions.ScriptedAIService(script),
    createTools: sessions.projectTools,
    hooks: {
      builtins: load.builtins,
      load,
      person: await findPersonFiles(runtime, context, projectDir),
    },
    defaults: { model: "scripted" },
  });
  if (opened.isErr()) return printError(context, opened.error.message);
  const session = opened.value;
  const { stdout, env, clock } = context;
  const style = styleFor(stdout, env);
  const lines = new LiveLines(stdout, isLive(stdout, env));
  const progress = new HookProgress({ lines, style, clock, projectDir });
  const view = new SessionView(lines, style, progress);
  session.onChatEvent((event) => {
    view.handle(event);
  });
  const stopListening = context.onInterrupt(() => void session.interruptStream());
  try {
    const sent = await session.sendMessage(message);
    if (sent.isErr()) return printError(context, sent.error.message);
    const outcome = await session.idle();
    view.heading("end");
    const { continuations, lastStop } = view;
    const after = continuations === 0 ? "" : `, after ${plural(continuations, "continuation")}`;
    lines.print(`The turn ended: ${whyEnded(outcome, lastStop)}${after}.`);
    const { finish = "interrupted" } = outcome ?? {};
    if (finish === "error") return EXIT.failure;
    return finish === "interrupted" ? EXIT.interrupted : EXIT.ok;
  } finally {
    stopListening();
    await session.dispose();
  }
}

/** @param lastStop the result of the last hooks; undefined if none ran */
function whyEnded(
  outcome: sessions.TurnOutcome | undefined,
  lastStop: StopHooksResult | undefined
): string {
  const { finish = "interrupted", error = "unknown" } = outcome ?? {};
  if (finish === "error") return `an error (${oneLine(error)})`;
  if (finish !== "stop") return ENDED_BY[finish];
  if (lastStop === undefined) return NO_HOOK_RAN;
  return lastStop.shouldStop
    ? describeEnd(lastStop).reason
    : "the limit of continuations was reached while hooks still blocked the stop";
}

const ENDED_BY = {
  length: "the model reached its length limit",
  refusal: "the model refused",
  question: "the agent waits for an answer",
  toolCalls: "a tool call has no result yet",
  interrupted: "interrupted",
};

const MAX_CHARS = 100;

/** The most informative arguments, by precedence. Only the first one present is shown. */
const SHOWN_ARGUMENTS = ["script", "file_path", "prompt", "reportMarkdown", "question"];

const RULE_WIDTH = 72;

/** Prints the events of a session. */
class SessionView {
  /** Text of the agent that has not been printed yet. */
  #unprinted = "";
  /** Whether the last heading was the agent's. */
  #isAgentTurn = false;
  /** The number of continuations by hooks since the last message from another sender. */
  continuations = 0;
  /** The result of the Stop hooks at the last stop; undefined if none ran. */
  lastStop: StopHooksResult | undefined;

  constructor(
    private readonly lines: LiveLines,
    private readonly style: Style,
    private readonly progress: HookProgress
  ) {}

  handle(event: sessions.ChatEvent): void {
    if (event.type === "stream-delta") {
      this.#unprinted += event.delta;
      return;
    }
    this.#flush();
    const { lines, style, progress } = this;
    if (sessions.isHookEvent(event)) {
      if (event.type === "hooks-start") lines.print("");
      if (event.type === "hooks-end" && event.event === "Stop") this.lastStop = event.result;
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
    this.lines.print(`\n${this.style.bold(`── ${text} `.padEnd(RULE_WIDTH, "─"))}`);
  }

  #showMessage({ role, parts, metadata }: sessions.ChatMessage): void {
    if (role !== "user") return;
    this.#isAgentTurn = false;
    if (metadata.muxMetadata?.stopHookActive === true) {
      this.heading(`hooks → agent (continuation ${++this.continuations})`);
    } else {
      this.continuations = 0;
      this.heading(metadata.synthetic === true ? "mux-stop-hooks → agent" : "you → agent");
    }
    for (const part of parts) {
      if (part.type === "text") this.lines.print(plainText(part.text));
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
    this.lines.print(text);
  }
}

/** Returns the tool and its main argument, such as `bash: node --test`. */
function describeToolCall(name: string, args: unknown): string {
  const values = objectOf(args);
  const shownArgument = SHOWN_ARGUMENTS.map((key) => values[key]).find(
    (value) => typeof value === "string"
  );
  return clip(oneLine(shownArgument === undefined ? name : `${name}: ${shownArgument}`), MAX_CHARS);
}

/** Returns `exit 1`, `done`, the error, or the report. */
function describeToolResult(result: unknown): string {
  const { error, exitCode, reportMarkdown } = objectOf(result);
  if (typeof error === "string") return clip(oneLine(error), MAX_CHARS);
  if (typeof exitCode === "number") return `exit ${exitCode}`;
  return typeof reportMarkdown === "string" ? clip(oneLine(reportMarkdown), MAX_CHARS) : "done";
}
