/**
 * `mux-stop-hooks hooks list`: shows, as text or JSON, which hooks would run at a stop here, why others would not,
 * whether they are trusted, and the problems of the settings. Runs no hook.
 */
import { printError, printLine, type CliContext, type ExitCode } from "@/cli/context";
import { shortPath } from "@/cli/render/formatText";
import { hookToJson, planList, renderHookList } from "@/cli/render/hookList";
import { styleFor } from "@/cli/render/style";
import { withWorkspace, type WorkspaceOption } from "@/cli/workspace";
import * as hooks from "@/node/services/hooks/index";
import { hookLoadOptions, trustedAs } from "@/wiring";

interface ListOptions extends WorkspaceOption {
  readonly event?: hooks.HookEventName;
  readonly agentType?: string;
  readonly json?: boolean;
}

export async function list(options: ListOptions, context: CliContext): Promise<ExitCode> {
  return await withWorkspace(options, context, async ({ runtime, projectDir }) => {
    const { stdout, env, home } = context;
    const load = hookLoadOptions(runtime, context);
    const settings = await hooks.loadHookSettings(runtime, projectDir, load);
    if (settings.loadError !== undefined) return printError(context, settings.loadError);
    const events = options.event === undefined ? hooks.HOOK_EVENTS : [options.event];
    const lists = events.map((event) =>
      planList(settings, event, load.builtins, options.agentType)
    );
    const name = trustedAs(runtime, projectDir);
    if (options.json === true) {
      const { trust, disableAllHooks, maxContinuations, diagnostics } = settings;
      const json = {
        projectDir,
        workspace: name === projectDir ? undefined : name,
        ...{ trust, disableAllHooks, maxContinuations },
        events: lists.map(({ event, runs, skipped }) => ({
          event,
          hooks: runs.map((hook) => hookToJson(hook, settings)),
          skipped: skipped.map(({ hook, reason }) => ({ ...hookToJson(hook, settings), reason })),
        })),
        diagnostics,
      };
      return printLine(context, JSON.stringify(json, null, 2));
    }
    const hint = await hooks.describeImportHint(runtime, projectDir, context, (path) =>
      shortPath(path, projectDir, home)
    );
    const style = styleFor(stdout, env);
    const view = { name, projectDir, home, settings, lists, style, hint };
    return printLine(context, renderHookList(view));
  });
}
