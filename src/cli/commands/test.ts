/**
 * `mux-stop-hooks hooks test`: runs the hooks of a made-up stop now, as the host would, and prints their results and
 * what the agent would be sent, as text or JSON. Waits for background hooks too. Exit code 3 if the agent would be sent
 * back.
 */
import * as messages from "@/cli/messages/shared";
import { resolve } from "node:path";
import { EXIT, withInterrupt, printError, type CliContext, type ExitCode } from "@/cli/context";
import type { CliWorkspace } from "@/cli/remoteWorkspace";
import { HookProgress } from "@/cli/render/hookProgress";
import { LiveLines } from "@/cli/render/liveLines";
import { isLive, styleFor, type Style } from "@/cli/render/style";
import {
  makeTestSession,
  withTempDir,
  type TestSession,
  type TestSubject,
} from "@/cli/testSession";
import { withWorkspace, type WorkspaceOption } from "@/cli/workspace";
import * as engine from "@/node/services/hooks/index";
import { runSessionStop } from "@/node/services/hooks/stopHookExecutor";
import { hookLoadOptions, trustedAs } from "@/wiring";
import { plural } from "@/common/safeText";
import { indent, oneLine, withinProject } from "@/cli/render/formatText";
import { formatDuration } from "@/common/formatDuration";
import { originOf, renderDiagnostics, trustLine } from "@/cli/render/hookList";

/** Runs `hooks test`. Returns exit code 3 if the agent would be sent back. */
export async function test(
  event: engine.HookEventName,
  options: WorkspaceOption & TestSubject & { readonly json?: boolean },
  context: CliContext
): Promise<ExitCode> {
  const transcript = options.transcript && resolve(context.cwd, options.transcript);
  return await withWorkspace(options, context, (workspace) =>
    withTempDir(async (sessionDir) => {
      const subject = { ...options, transcript };
      const session = await makeTestSession(event, subject, workspace.projectDir, sessionDir);
      if (session.isErr()) return printError(context, session.error);
      return await tryHooks(workspace, session.value, options.json, context);
    })
  );
}

async function tryHooks(
  workspace: CliWorkspace,
  session: TestSession,
  json: boolean | undefined,
  context: CliContext
): Promise<ExitCode> {
  const { runtime, projectDir } = workspace;
  const { stdout, stderr, env, home } = context;
  const load = hookLoadOptions(runtime, context);
  const settings = await engine.loadHookSettings(runtime, projectDir, load);
  if (settings.loadError !== undefined) return printError(context, settings.loadError);
  const hooks = { settings, builtins: load.builtins };
  const result = await runHooks(workspace, session, hooks, context);
  if (result.cancelled === true) {
    stderr.write("mux-stop-hooks: interrupted\n");
    return EXIT.interrupted;
  }
  const { input, continuation } = session;
  const atLimit = continuation >= settings.maxContinuations;
  const sentBack = !result.shouldStop && !atLimit;
  const { trust, diagnostics } = settings;
  const report = {
    ...{ projectDir, input, result, trust, diagnostics },
    message: sentBack ? engine.continuationMessage(input.hook_event_name, result) : undefined,
    limit: atLimit ? settings.maxContinuations : undefined,
  };
  const name = trustedAs(runtime, projectDir);
  stdout.write(
    json === true
      ? `${JSON.stringify(report, null, 2)}\n`
      : renderTestReport(report, name, home, styleFor(stdout, env))
  );
  return sentBack ? EXIT.wouldContinue : EXIT.ok;
}

/** Runs the hooks. Unlike a host, it also waits for background hooks, to show their results. */
async function runHooks(
  { runtime, projectDir }: CliWorkspace,
  { input, continuation }: TestSession,
  hooks: { settings: engine.HookSettings; builtins: engine.BuiltinHooks },
  context: CliContext
): Promise<engine.StopHooksResult> {
  const { stderr, env, clock } = context;
  const lines = new LiveLines(stderr, isLive(stderr, env));
  const style = styleFor(stderr, env);
  const progress = new HookProgress({ lines, style, clock, projectDir, transient: true });
  return await withInterrupt(context, async (abortSignal) => {
    const ended = new Map<string, engine.HookRun>();
    let wake = (): void => undefined;
    const result = await runSessionStop(runtime, projectDir, input, {
      ...hooks,
      host: "mux-stop-hooks hooks test",
      continuation,
      abortSignal,
      backgroundSignal: abortSignal,
      onEvent: (event) => {
        progress.handle(event);
      },
      onBackgroundRun: (run) => {
        ended.set(run.name, run);
        wake();
      },
    });
    const { runs = [] } = result;
    const background = runs.filter(({ outcome }) => outcome === "background");
    while (ended.size < background.length) {
      await new Promise<void>((resume) => (wake = resume));
    }
    return { ...result, runs: runs.map((run) => ended.get(run.name) ?? run) };
  });
}

const AGENT_MAY_STOP = "The agent may stop";

interface TestReport extends Pick<engine.HookSettings, "trust" | "diagnostics"> {
  readonly projectDir: string;
  readonly input: engine.StopHookInput;
  readonly result: engine.StopHooksResult;
  /** The message that would be sent to the agent; absent if it may stop. */
  readonly message?: string | undefined;
  /** The maximum number of continuations; set if it has been reached. */
  readonly limit?: number | undefined;
}

/** Renders the report. @param name the name of the project in the record of trust */
function renderTestReport(report: TestReport, name: string, home: string, style: Style): string {
  const { input, result, trust, diagnostics } = report;
  const { runs = [], skipped = [] } = result;
  const skips = skipped.map(({ hook, reason }) => `${hook.name}  skipped: ${oneLine(reason)}`);
  const userSees = runs.flatMap(({ systemMessage }) => systemMessage ?? []);
  const blocks = [
    `${style.bold("Input")}\n${indent(JSON.stringify(input, null, 2), "  ")}`,
    ...runs.map((run) => renderRun(run, { ...report, home, style })),
    ...(skips.length === 0 ? [] : [style.dim(skips.join("\n"))]),
    ...trustLine(trust, name).map(style.yellow),
    ...renderDiagnostics(diagnostics, style),
    ...userSees.map((text) => `${style.bold("The user sees")}\n${text}`),
    renderVerdict(report, style),
  ];
  return `${blocks.join("\n\n")}\n`;
}

function renderRun(
  run: engine.HookRun,
  { projectDir, home, style }: { projectDir: string; home: string; style: Style }
): string {
  const { name, outcome, durationMs, title, stdout, stderr, warnings, notes, context } = run;
  const end = describeEnd(run);
  const lines = [
    `${style.bold(name)}  ${outcome}${end === undefined ? "" : `  ${end}`}  ${formatDuration(durationMs)}`,
    style.dim(
      `  ${withinProject(title, projectDir)}  (${originOf(run.source, { projectDir, home })})`
    ),
    ...stream("stdout", stdout, run.stdoutBytes),
    ...stream("stderr", stderr, run.stderrBytes),
    ...warnings.map((text) => style.yellow(`  warning: ${text}`)),
    ...notes.map((text) => `  note: ${text}`),
    ...(outcome === "background" && context !== undefined
      ? [`  sent to the agent with your next message:\n${indent(context, "    ")}`]
      : []),
  ];
  return lines.join("\n");
}

/** Renders an output stream. `bytes` is its total size; `text` may be only its beginning. */
function stream(name: string, text: string | undefined, bytes: number): string[] {
  if (bytes === 0) return [];
  const shown = text === undefined ? "" : `\n${indent(text, "    ")}`;
  return [`  ${name}, ${bytes} B${text !== undefined ? ":" : " (not shown)"}${shown}`];
}

function describeEnd({ end }: engine.HookRun): string | undefined {
  if (end?.kind === "exited") return messages.exited(end.code);
  return end?.kind === "signaled" ? end.signal : end && messages.ENDS[end.kind];
}

function renderVerdict({ result, message, limit }: TestReport, style: Style): string {
  if (message !== undefined) return `${style.bold("Would be sent to the agent")}\n${message}`;
  if (!result.shouldStop) {
    return `${style.bold(AGENT_MAY_STOP)}: the limit of ${plural(limit ?? 0, "continuation")} is reached (stopHooks.maxContinuations)`;
  }
  const { stopReason, runs = [] } = result;
  if (stopReason !== undefined) return `${style.bold("The turn ends")}: ${stopReason}`;
  return runs.length === 0
    ? `${style.bold(AGENT_MAY_STOP)}: ${messages.NO_HOOK_RAN}`
    : style.bold(AGENT_MAY_STOP);
}
