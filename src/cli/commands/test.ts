/** `mux-stop-hooks hooks test`: runs the hooks of one stop now, as the host would, and shows every detail. */
import { resolve } from "node:path";
import { EXIT, withInterrupt, printError, type CliContext, type ExitCode } from "@/cli/context";
import type { CliWorkspace } from "@/cli/remoteWorkspace";
import { HookProgress } from "@/cli/render/hookProgress";
import { renderTestReport } from "@/cli/render/testReport";
import { LiveLines } from "@/cli/render/liveLines";
import { isLive, styleFor } from "@/cli/render/style";
import {
  makeTestSession,
  withTempDir,
  type TestSession,
  type TestSubject,
} from "@/cli/testSession";
import { withWorkspace, type WorkspaceOption } from "@/cli/workspace";
import {
  continuationMessage,
  loadHookSettings,
  type BuiltinHooks,
  type HookEventName,
  type HookRun,
  type HookSettings,
  type StopHooksResult,
} from "@/node/services/hooks/index";
import { runSessionStop } from "@/node/services/hooks/stopHookExecutor";
import { hookLoadOptions, trustedAs } from "@/wiring";

interface TestOptions extends WorkspaceOption, TestSubject {
  readonly json?: boolean;
}

/** Returns exit code 3 if the agent would be sent back. */
export async function test(
  event: HookEventName,
  options: TestOptions,
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
  const settings = await loadHookSettings(runtime, projectDir, load);
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
  const report = {
    projectDir,
    input,
    result,
    trust: settings.trust,
    diagnostics: settings.diagnostics,
    message: sentBack ? continuationMessage(input.hook_event_name, result) : undefined,
    limit: atLimit ? settings.maxContinuations : undefined,
  };
  const name = trustedAs(runtime, projectDir);
  stdout.write(
    json === true
      ? `${JSON.stringify(report, null, 2)}\n`
      : renderTestReport({ ...report, name }, { home, style: styleFor(stdout, env) })
  );
  return sentBack ? EXIT.wouldContinue : EXIT.ok;
}

/** Runs the hooks. Unlike a host, it also waits for background hooks, to show their results. */
async function runHooks(
  { runtime, projectDir }: CliWorkspace,
  { input, continuation }: TestSession,
  hooks: { settings: HookSettings; builtins: BuiltinHooks },
  context: CliContext
): Promise<StopHooksResult> {
  const { stderr, env, clock } = context;
  const lines = new LiveLines(stderr, isLive(stderr, env));
  const style = styleFor(stderr, env);
  const progress = new HookProgress({ lines, style, clock, projectDir, transient: true });
  return await withInterrupt(context, async (abortSignal) => {
    const ended = new Map<string, HookRun>();
    let printEnd = (): void => undefined;
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
        printEnd();
      },
    });
    const { runs = [] } = result;
    const background = runs.filter(({ outcome }) => outcome === "background");
    while (ended.size < background.length) {
      await new Promise<void>((wake) => (printEnd = wake));
    }
    return { ...result, runs: runs.map((run) => ended.get(run.name) ?? run) };
  });
}
