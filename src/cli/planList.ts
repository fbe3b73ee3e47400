/** What a stop would come to in a project, without one. */
import {
  planHooks,
  type BuiltinHooks,
  type ConfiguredHook,
  type HookEventName,
  type HookPlan,
  type HookSettings,
} from "@/node/services/hooks/index";

export interface EventList extends HookPlan {
  readonly event: HookEventName;
}

/** Without a type of agent no matcher is asked: the list is then of the hooks for any of them. */
export function planList(
  settings: HookSettings,
  event: HookEventName,
  builtins: BuiltinHooks,
  agentType?: string
): EventList {
  const hooks = agentType === undefined ? settings.hooks.map(forAnyAgent) : settings.hooks;
  const subject = { event, agentType: agentType ?? "" };
  const plan = planHooks({ ...settings, hooks }, subject, builtins);
  const whole = new Map(settings.hooks.map((hook) => [hook.name, hook]));
  const restore = (hook: ConfiguredHook): ConfiguredHook => whole.get(hook.name) ?? hook;
  return {
    event,
    runs: plan.runs.map(restore),
    skipped: plan.skipped.map((skip) => ({ ...skip, hook: restore(skip.hook) })),
  };
}

function forAnyAgent(hook: ConfiguredHook): ConfiguredHook {
  return { ...hook, matcher: "*" };
}
