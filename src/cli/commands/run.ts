/** `mux-stop-hooks hooks run`: runs the embedded session with an agent that follows a script. */
import { randomBytes } from "node:crypto";
import { resolve } from "node:path";
import type { CliContext } from "@/cli/context";
import { EXIT, type ExitCode } from "@/cli/exitCodes";
import type { CliWorkspace } from "@/cli/project";
import { printError } from "@/cli/render/printError";
import { HookProgress } from "@/cli/render/hookProgress";
import { LiveLines } from "@/cli/render/liveLines";
import { SessionView } from "@/cli/render/sessionView";
import { isLive, styleFor } from "@/cli/render/style";
import { describeTurnEnd } from "@/cli/render/turnEnd";
import { withTempDir } from "@/cli/tempDir";
import { withWorkspace, type WorkspaceOption } from "@/cli/workspace";
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

export interface RunCommandOptions extends WorkspaceOption {
  readonly message: string;
  readonly script: string;
  readonly sessionDir?: string;
}

interface Play extends CliWorkspace {
  readonly message: string;
  readonly script: TurnScript;
  readonly sessionDir: string;
}

/** Returns exit code 1 if the turn ended with an error. The verdicts of hooks do not change it. */
export async function run(options: RunCommandOptions, context: CliContext): Promise<ExitCode> {
  return await withWorkspace(options, context, (workspace) => play(options, workspace, context));
}

async function play(
  options: RunCommandOptions,
  workspace: CliWorkspace,
  context: CliContext
): Promise<ExitCode> {
  const scriptPath = resolve(context.cwd, options.script);
  const script = await loadTurnScript(workspace.runtime.host, scriptPath);
  if (script.isErr()) {
    return printError(context, script.error.map(formatDiagnostic).join("\nmux-hooks: "));
  }
  const given = { ...workspace, message: options.message, script: script.value };
  if (options.sessionDir === undefined) {
    return await withTempDir((sessionDir) => playSession({ ...given, sessionDir }, context));
  }
  const sessionDir = resolve(context.cwd, options.sessionDir);
  return await playSession({ ...given, sessionDir }, context);
}

async function playSession(play: Play, context: CliContext): Promise<ExitCode> {
  const { runtime } = play;
  const load = hookLoadOptions(runtime, context);
  const opened = await AgentSession.open({
    workspaceId: `run-${randomBytes(4).toString("hex")}`,
    projectDir: play.projectDir,
    sessionDir: play.sessionDir,
    runtime,
    aiService: new ScriptedAIService(play.script),
    createTools: projectTools,
    hooks: {
      builtins: load.builtins,
      load,
      person: await findPersonFiles(runtime, context, play.projectDir),
    },
    defaults: { model: "scripted" },
  });
  if (opened.isErr()) return printError(context, opened.error.message);
  const session = opened.value;
  const { projectDir } = play;
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
    const sent = await session.sendMessage(play.message);
    if (sent.isErr()) return printError(context, sent.error.message);
    const outcome = await session.idle();
    view.heading("end");
    lines.print(describeTurnEnd(outcome, view.lastStop, view.continuations));
    return exitCodeOf(outcome);
  } finally {
    stopListening();
    await session.dispose();
  }
}

function exitCodeOf(outcome: TurnOutcome | undefined): ExitCode {
  if (outcome?.finish === "error") return EXIT.failure;
  return outcome?.finish === "interrupted" ? EXIT.interrupted : EXIT.ok;
}
