/** `mux-hooks list`: what would run at a stop here, and what would not and why. Nothing is run. */
import type { CliContext } from "@/cli/context";
import { EXIT, type ExitCode } from "@/cli/exitCodes";
import { findProject, type ProjectOption } from "@/cli/project";
import { complain } from "@/cli/render/complain";
import { planList, type EventList } from "@/cli/planList";
import { hookToJson, renderHookList } from "@/cli/render/hookList";
import { styleFor } from "@/cli/render/style";
import {
  HOOK_EVENTS,
  loadHookSettings,
  type HookEventName,
  type HookSettings,
} from "@/node/services/hooks/index";
import { createRuntime, hookLoadOptions } from "@/wiring";

export interface ListOptions extends ProjectOption {
  readonly event?: HookEventName;
  readonly agentType?: string;
  readonly json?: boolean;
}

export async function list(options: ListOptions, context: CliContext): Promise<ExitCode> {
  const project = await findProject(options.project, context);
  if (project.isErr()) return complain(context, project.error);
  const projectDir = project.value;
  const runtime = createRuntime(context.env);
  const load = hookLoadOptions(runtime, context);
  const settings = await loadHookSettings(runtime, projectDir, load);
  const events = options.event === undefined ? HOOK_EVENTS : [options.event];
  const lists = events.map((event) => planList(settings, event, load.builtins, options.agentType));
  if (options.json === true) {
    context.stdout.write(`${JSON.stringify(toJson(projectDir, settings, lists), null, 2)}\n`);
  } else {
    const style = styleFor(context.stdout, context.env);
    const { home } = context;
    context.stdout.write(renderHookList({ projectDir, home, settings, lists, style }));
  }
  return EXIT.ok;
}

function toJson(projectDir: string, settings: HookSettings, lists: readonly EventList[]) {
  const { trust, disableAllHooks, maxContinuations, diagnostics } = settings;
  return {
    projectDir,
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
