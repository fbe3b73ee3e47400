/** The environment of a hook: the variables that are set, and those that are removed (H14). */
import { MODEL_KEYS } from "@/common/modelKeys";
import { pluginVariables } from "@/node/services/hooks/execution/handlers/pluginRun";
import type { ConfiguredHook, StopHookInput } from "@/node/services/hooks/contract/types";

/**
 * Removed for every hook: the host's telemetry settings, a file that bash would run first, and the token of the host's
 * own server.
 */
const HOST_ONLY = ["OTEL_*", "BASH_ENV", "MUX_SERVER_AUTH_TOKEN", "XUM_SERVER_AUTH_TOKEN"];

/** Returns whether a variable is removed from the environment of a hook. */
export function isWithheld(
  name: string,
  { fromProject }: Pick<ConfiguredHook, "fromProject">,
  passEnv: readonly string[]
): boolean {
  const matches = (pattern: string): boolean =>
    pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
  return removedFor(fromProject).some(matches) && !passEnv.some(matches);
}

function removedFor(fromProject: boolean): readonly string[] {
  return fromProject ? [...HOST_ONLY, ...MODEL_KEYS] : HOST_ONLY;
}

export interface HookEnvironment {
  readonly env: Record<string, string>;
  /** Names to remove; `NAME_*` matches every name with that prefix. */
  readonly unsetEnv: readonly string[];
  readonly passEnv: readonly string[];
}

export function hookEnvironment(
  hook: ConfiguredHook,
  input: StopHookInput,
  context: { projectDir: string; continuation: number; passEnv: readonly string[] }
): HookEnvironment {
  return {
    env: {
      MUX_PROJECT_DIR: context.projectDir,
      CLAUDE_PROJECT_DIR: context.projectDir,
      MUX_STOP_HOOK_ACTIVE: String(input.stop_hook_active),
      MUX_TRANSCRIPT_PATH: input.transcript_path,
      MUX_SESSION_ID: input.session_id,
      MUX_HOOK_EVENT: input.hook_event_name,
      MUX_CONTINUATION: String(context.continuation),
      ...(input.effort === undefined ? {} : { CLAUDE_EFFORT: input.effort.level }),
      ...(hook.plugin === undefined ? {} : pluginVariables(hook.plugin)),
    },
    unsetEnv: removedFor(hook.fromProject),
    passEnv: context.passEnv,
  };
}
