/** `mux-stop-hooks hooks test`: runs the hooks of one stop now, as the host would, and shows every detail. */
import { resolve } from "node:path";
import type { CliContext } from "@/cli/context";
import { EXIT, type ExitCode } from "@/cli/exitCodes";
import type { CliWorkspace } from "@/cli/project";
import { printError } from "@/cli/render/printError";
import { HookProgress } from "@/cli/render/hookProgress";
import { LiveLines } from "@/cli/render/liveLines";
import { isLive, styleFor } from "@/cli/render/style";
import { renderTestReport } from "@/cli/render/testReport";
import { withTempDir } from "@/cli/tempDir";
import { makeTestSession, type TestSession } from "@/cli/testSession";
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
import { INTERRUPTED } from "@/cli/messages/shared";

export interface TestOptions extends WorkspaceOption {
  readonly event: HookEventName;
  readonly transcript?: string;
  readonly lastMessage?: string;
  readonly agentType?: string;
  readonly continuation?: number;
  readonly json?: boolean;
}

/** Returns exit code 3 if the agent would be sent back. */
export async function test(options: TestOptions, context: CliContext): Promise<ExitCode> {
  const { transcript } = options;
  return await withWorkspace(options, context, (workspace) =>
    withTempDir(async (sessionDir) => {
      const session = await makeTestSession({
        ...options,
        ...(transcript === undefined ? {} : { transcript: resolve(context.cwd, transcript) }),
        sessionDir,
        projectDir: workspace.projectDir,
      });
      if (session.isErr()) return printError(context, session.error);
      return await tryHooks(options, workspace, session.value, context);
    })
  );
}

async function tryHooks(
  { json }: TestOptions,
  workspace: CliWorkspace,
  session: TestSession,
  context: CliContext
): Promise<ExitCode> {
  const { runtime, projectDir } = workspace;
  const load = hookLoadOptions(runtime, context);
  const settings = await loadHookSettings(runtime, projectDir, load);
  if (settings.loadError !== undefined) return printError(context, settings.loadError);
  const { builtins } = load;
  const result = await runHooks(workspace, session, { settings, builtins }, context);
  if (result.cancelled === true) {
    context.stderr.write(`mux-stop-hooks: ${INTERRUPTED}\n`);
    return EXIT.interrupted;
  }
  const { input, continuation } = session;
  const atLimit = continuation >= settings.maxContinuations;
  const sentBack = !result.shouldStop && !atLimit;
  const name = trustedAs(runtime, projectDir);
  const report = {
    projectDir,
    input,
    result,
    trust: settings.trust,
    diagnostics: settings.diagnostics,
    ...(sentBack ? { message: continuationMessage(input.hook_event_name, result) } : {}),
    ...(atLimit ? { limit: settings.maxContinuations } : {}),
  };
  const style = styleFor(context.stdout, context.env);
  context.stdout.write(
    json === true
      ? `${JSON.stringify(report, null, 2)}\n`
      : renderTestReport({ ...report, name }, { home: context.home, style })
  );
  return sentBack ? EXIT.wouldContinue : EXIT.ok;
}

/** Runs the hooks. Unlike a host, it also waits for background hooks, to show their results. */
async function runHooks(
  { runtime, projectDir }: CliWorkspace,
  { input, continuation }: TestSession,
  hooks: { settings: HookSettings; builtins: BuiltinHooks },
  { stderr, env, clock, onInterrupt }: CliContext
): Promise<StopHooksResult> {
  const lines = new LiveLines(stderr, isLive(stderr, env));
  const style = styleFor(stderr, env);
  const progress = new HookProgress({ lines, style, clock, projectDir, transient: true });
  const interrupt = new AbortController();
  const stopListening = onInterrupt(() => {
    interrupt.abort();
  });
  const ended = new Map<string, HookRun>();
  let printEnd = (): void => undefined;
  try {
    const result = await runSessionStop(runtime, projectDir, input, {
      ...hooks,
      host: "mux-stop-hooks hooks test",
      continuation,
      abortSignal: interrupt.signal,
      backgroundSignal: interrupt.signal,
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
  } finally {
    stopListening();
  }
}
