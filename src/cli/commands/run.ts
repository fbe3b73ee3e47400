/** `mux-stop-hooks hooks run`: runs the embedded session with an agent that follows a script. */
import { NO_HOOK_RAN } from "@/cli/messages/shared";
import { randomBytes } from "node:crypto";
import { resolve } from "node:path";
import { type CliContext, EXIT, type ExitCode, printError } from "@/cli/context";
import type { CliWorkspace } from "@/cli/remoteWorkspace";
import { withWorkspace, type WorkspaceOption } from "@/cli/workspace";
import { HookProgress } from "@/cli/render/hookProgress";
import { LiveLines } from "@/cli/render/liveLines";
import { SessionView } from "@/cli/render/sessionView";
import { isLive, styleFor } from "@/cli/render/style";
import { withTempDir } from "@/cli/testSession";
import { formatDiagnostic } from "@/common/diagnostics";
import {
  AgentSession,
  loadTurnScript,
  projectTools,
  ScriptedAIService,
  type TurnOutcome,
  type TurnScript,
} from "@/session";
import { findPersonFiles, hookLoadOptions } from "@/wiring";
import { plural } from "@/common/text";
import { oneLine } from "@/cli/render/format";
import { describeEnd, type StopHooksResult } from "@/node/services/hooks/index";

interface RunCommandOptions extends WorkspaceOption {
  /** A file. */
  readonly script: string;
  readonly sessionDir?: string;
}

/** Returns exit code 1 if the turn ended with an error. The verdicts of hooks do not change it. */
export async function run(
  message: string,
  options: RunCommandOptions,
  context: CliContext
): Promise<ExitCode> {
  return await withWorkspace(options, context, async (workspace) => {
    const scriptPath = resolve(context.cwd, options.script);
    const script = await loadTurnScript(workspace.runtime.host, scriptPath);
    if (script.isErr()) {
      return printError(context, script.error.map(formatDiagnostic).join("\nmux-hooks: "));
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
  script: TurnScript,
  sessionDir: string,
  { runtime, projectDir }: CliWorkspace,
  context: CliContext
): Promise<ExitCode> {
  const load = hookLoadOptions(runtime, context);
  const opened = await AgentSession.open({
    workspaceId: `run-${randomBytes(4).toString("hex")}`,
    projectDir,
    sessionDir,
    runtime,
    aiService: new ScriptedAIService(script),
    createTools: projectTools,
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
  const view = new SessionView({ lines, style, progress });
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
    if (outcome?.finish === "error") return EXIT.failure;
    return outcome?.finish === "interrupted" ? EXIT.interrupted : EXIT.ok;
  } finally {
    stopListening();
    await session.dispose();
  }
}

/** @param lastStop the result of the last hooks; undefined if none ran */
function whyEnded(outcome: TurnOutcome | undefined, lastStop: StopHooksResult | undefined): string {
  switch (outcome?.finish) {
    case "stop":
      if (lastStop === undefined) return NO_HOOK_RAN;
      return lastStop.shouldStop
        ? describeEnd(lastStop).reason
        : "the limit of continuations was reached while hooks still blocked the stop";
    case "error":
      return `an error (${oneLine(outcome.error ?? "unknown")})`;
    case "length":
      return "the model reached its length limit";
    case "refusal":
      return "the model refused";
    case "question":
      return "the agent waits for an answer";
    case "toolCalls":
      return "a tool call has no result yet";
    default:
      return "interrupted";
  }
}
