/**
 * Selects the configured hooks that run at one stop, with the reasons why the others do not (H11, H12). Also determines
 * whether a stop would have nothing to run or report.
 */
import type { BuiltinHooks } from "@/node/services/hooks/contract/builtinRegistry";
import type {
  ConfiguredHook,
  HookEventName,
  HookSettings,
  SkippedHook,
} from "@/node/services/hooks/contract/types";
import { matchAgentType } from "@/node/services/hooks/contract/agentMatcher";
import * as messages from "@/node/services/hooks/messages/shared";

/** The hooks of one stop. */
export interface HookPlan {
  /** In configured order. */
  readonly runs: readonly ConfiguredHook[];
  readonly skipped: readonly SkippedHook[];
}

/** The facts about a stop that the selection depends on. */
export interface PlanSubject {
  readonly event: HookEventName;
  /** Empty if the host cannot name the agent. */
  readonly agentType: string;
  /** Whether the host has a model for prompt handlers. */
  readonly hasModel: boolean;
  /** The name of the host, for the user. */
  readonly host?: string | undefined;
}

/** Divides the hooks of the event into those that run and those that do not. */
export function planHooks(
  settings: HookSettings,
  subject: PlanSubject,
  builtins: BuiltinHooks
): HookPlan {
  const runs: ConfiguredHook[] = [];
  const skipped = settings.skipped.filter(({ hook }) => hook.event === subject.event);
  for (const hook of settings.hooks) {
    if (hook.event !== subject.event || isAbsent(hook, settings)) continue;
    const obstacle = settings.disableAllHooks
      ? { reason: "all hooks are turned off by disableAllHooks", visible: false }
      : findObstacle(hook, subject, builtins);
    if (obstacle === undefined) runs.push(hook);
    else skipped.push({ hook, ...obstacle });
  }
  return { runs, skipped };
}

/** Returns why a hook does not run: it is off, for another agent, or this engine cannot run it (H12). */
function findObstacle(
  hook: ConfiguredHook,
  subject: PlanSubject,
  builtins: BuiltinHooks
): Pick<SkippedHook, "reason" | "visible"> | undefined {
  const { handler } = hook;
  const { event, agentType, hasModel, host } = subject;
  if (handler.enabled === false) return { reason: "turned off by enabled: false", visible: false };
  if (handler.if !== undefined) return { reason: messages.IF_NEVER_TRUE, visible: false };
  if (event === "SubagentStop") {
    const match = matchAgentType(hook.matcher, agentType, handler.dialect);
    if ("problem" in match) return { reason: match.problem, visible: true };
    if (!match.matches) {
      return { reason: `its matcher does not match the agent type "${agentType}"`, visible: false };
    }
  }
  switch (handler.type) {
    case "command":
    case "http":
      return undefined;
    case "builtin":
      return builtins.get(handler.name) === undefined
        ? { reason: messages.builtinUnknown(handler.name), visible: true }
        : undefined;
    case "unsupported":
      return { reason: messages.handlerTypeNotSupported(handler.given), visible: false };
    case "prompt":
      return hasModel ? undefined : { reason: messages.noModelForPrompts(host), visible: true };
  }
}

/** Returns whether a default built-in hook is absent because the checkout does not configure it (H29). */
function isAbsent(hook: ConfiguredHook, settings: HookSettings): boolean {
  return hook.layer === "builtin" && isNotConfigured(hook, settings);
}

/** Returns whether the hook is a built-in one for which the checkout has nothing, such as no `.gauntlet/`. */
function isNotConfigured({ handler }: ConfiguredHook, { checkout }: HookSettings): boolean {
  if (handler.type !== "builtin") return false;
  const view = checkout.get(handler.name);
  return view !== undefined && view.pinned === undefined;
}

/** Returns whether there is nothing to run or report. A built-in hook that is not configured does not count. */
export function hasNoEffect(settings: HookSettings, event: HookEventName): boolean {
  const { hooks, skipped, diagnostics, trust } = settings;
  const isIdle = (hook: ConfiguredHook): boolean =>
    hook.event !== event || isNotConfigured(hook, settings);
  return hooks.every(isIdle) && skipped.length + diagnostics.length === 0 && trust.trusted;
}
