/** Plans the hooks that would run at a stop, for the commands that report them. */
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

/** Plans the hooks of an event. Without `agentType` it ignores matchers and lists the hooks for every type of agent. */
export function planList(
  settings: HookSettings,
  event: HookEventName,
  builtins: BuiltinHooks,
  agentType?: string
): EventList {
  const hooks = agentType === undefined ? settings.hooks.map(forAnyAgent) : settings.hooks;
  // The hosts that these commands report on have a model, or notify the user.
  const subject = { event, agentType: agentType ?? "", hasModel: true };
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
