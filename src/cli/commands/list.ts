/** `mux-stop-hooks hooks list`: shows which hooks would run at a stop here, and why others would not. Runs no hook. */
import type { CliContext } from "@/cli/context";
import { EXIT, type ExitCode } from "@/cli/exitCodes";
import type { CliWorkspace } from "@/cli/project";
import { printError } from "@/cli/render/printError";
import { planList, type EventList } from "@/cli/planList";
import { hookToJson, renderHookList } from "@/cli/render/hookList";
import { styleFor } from "@/cli/render/style";
import { withWorkspace, type WorkspaceOption } from "@/cli/workspace";
import { shortPath } from "@/cli/render/format";
import {
  describeImportHint,
  HOOK_EVENTS,
  loadHookSettings,
  type HookEventName,
  type HookSettings,
} from "@/node/services/hooks/index";
import { hookLoadOptions, trustedAs } from "@/wiring";

export interface ListOptions extends WorkspaceOption {
  readonly event?: HookEventName;
  readonly agentType?: string;
  readonly json?: boolean;
}

export async function list(options: ListOptions, context: CliContext): Promise<ExitCode> {
  return await withWorkspace(options, context, (workspace) =>
    listHooks(options, workspace, context)
  );
}

async function listHooks(
  options: ListOptions,
  { runtime, projectDir }: CliWorkspace,
  context: CliContext
): Promise<ExitCode> {
  const load = hookLoadOptions(runtime, context);
  const settings = await loadHookSettings(runtime, projectDir, load);
  if (settings.loadError !== undefined) return printError(context, settings.loadError);
  const events = options.event === undefined ? HOOK_EVENTS : [options.event];
  const lists = events.map((event) => planList(settings, event, load.builtins, options.agentType));
  const name = trustedAs(runtime, projectDir);
  if (options.json === true) {
    const remote = name === projectDir ? {} : { workspace: name };
    const json = { projectDir, ...remote, ...toJson(settings, lists) };
    context.stdout.write(`${JSON.stringify(json, null, 2)}\n`);
  } else {
    const style = styleFor(context.stdout, context.env);
    const { home } = context;
    const hint = await describeImportHint(runtime, projectDir, context, (path) =>
      shortPath(path, projectDir, home)
    );
    const view = { name, projectDir, home, settings, lists, style, hint };
    context.stdout.write(renderHookList(view));
  }
  return EXIT.ok;
}

function toJson(settings: HookSettings, lists: readonly EventList[]) {
  const { trust, disableAllHooks, maxContinuations, diagnostics } = settings;
  return {
    trust,
    disableAllHooks,
    maxContinuations,
    events: lists.map(({ event, runs, skipped }) => ({
      event,
      hooks: runs.map((hook) => hookToJson(hook, settings)),
      skipped: skipped.map(({ hook, reason }) => ({ ...hookToJson(hook, settings), reason })),
    })),
    diagnostics,
  };
}
