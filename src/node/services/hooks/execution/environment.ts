/**
 * Makes the environment of a hook, without variables that only the host needs, and for a hook of the checkout without
 * keys of model providers (H14). For a plugin of Claude Code, fills in its folders and creates its data folder; in
 * other hooks, detects the use of a plugin's variable that is not set (H38).
 */
import { matcherOf } from "@/node/runtime/envMatcher";
import { MODEL_KEYS } from "@/common/modelKeyVariables";
import { visible } from "@/common/safeText";
import type { ExecRequest, HookRuntime } from "@/node/runtime/HookRuntime";
import type * as contract from "@/node/services/hooks/contract/types";

/**
 * Removed for every hook: the host's telemetry settings, a file that bash would run first, and the token of the host's
 * own server.
 */
const HOST_ONLY = ["OTEL_*", "BASH_ENV", "MUX_SERVER_AUTH_TOKEN", "XUM_SERVER_AUTH_TOKEN"];

/** Returns whether a variable is removed from the environment of a hook. */
export function isWithheld(
  name: string,
  { fromProject }: Pick<contract.ConfiguredHook, "fromProject">,
  passEnv: readonly string[]
): boolean {
  return matcherOf(removedFor(fromProject))(name) && !matcherOf(passEnv)(name);
}

function removedFor(fromProject: boolean): readonly string[] {
  return fromProject ? [...HOST_ONLY, ...MODEL_KEYS] : HOST_ONLY;
}

/** Returns the variables that a hook gets, and the names that are removed from its environment. */
export function hookEnvironment(
  hook: contract.ConfiguredHook,
  input: contract.StopHookInput,
  context: { projectDir: string; continuation: number; passEnv: readonly string[] }
): Required<Pick<ExecRequest, "env" | "unsetEnv" | "passEnv">> {
  return {
    env: {
      MUX_PROJECT_DIR: context.projectDir,
      CLAUDE_PROJECT_DIR: context.projectDir,
      MUX_STOP_HOOK_ACTIVE: String(input.stop_hook_active),
      MUX_TRANSCRIPT_PATH: input.transcript_path,
      MUX_SESSION_ID: input.session_id,
      MUX_HOOK_EVENT: input.hook_event_name,
      MUX_CONTINUATION: String(context.continuation),
      ...(input.effort && { CLAUDE_EFFORT: input.effort.level }),
      ...(hook.plugin && pluginVariables(hook.plugin)),
    },
    unsetEnv: removedFor(hook.fromProject),
    passEnv: context.passEnv,
  };
}

/** The variables of a plugin's hook, with the folders of the plugin. */
const ROOT = "CLAUDE_PLUGIN_ROOT";
const DATA = "CLAUDE_PLUGIN_DATA";

const PLACEHOLDER = /\$\{(CLAUDE_PLUGIN_(?:ROOT|DATA))\}/g;
/** A use of a variable without a default value. */
const USED = /\$(?:\{(?!\w+[:=+?-]))?(CLAUDE_PLUGIN_(?:ROOT|DATA))(?!\w)/;

/** Returns the variables for the environment of a plugin's hook. */
function pluginVariables({ root, data }: contract.PluginOrigin): Record<string, string> {
  return { [ROOT]: root, [DATA]: data };
}

/** Replaces the placeholders as plain text, as Claude Code does. A hook outside a plugin keeps them. */
export function fillPlaceholders(text: string, plugin: contract.PluginOrigin | undefined): string {
  if (plugin === undefined) return text;
  const values = pluginVariables(plugin);
  return text.replaceAll(PLACEHOLDER, (whole, name: string) => values[name] ?? whole);
}

/**
 * Creates the folder for the data of a plugin, if it is missing. Returns the reason why the hook cannot start, if its
 * command uses the folder of the plugin, which no longer exists.
 */
export async function preparePlugin(
  runtime: HookRuntime,
  { id, root, data }: contract.PluginOrigin,
  { command, args = [] }: contract.CommandHandler,
  cwd: string
): Promise<string | undefined> {
  const [rootStat, dataStat] = await runtime.stat([root, data]);
  const usesRoot = [command, ...args].some((word) => word.includes(ROOT));
  if (rootStat?.kind === "missing" && usesRoot)
    return `did not start, because the folder ${visible(root)} of the plugin ${id} no longer exists; restore it or, if the plugin was updated, send a message to use the new version`;
  if (dataStat?.kind === "missing") {
    // A hook that needs the folder reports a failure itself.
    await runtime.exec({
      command: { file: "mkdir", args: ["-p", "--", data] },
      cwd,
      timeoutMs: MKDIR_MS,
    });
  }
  return undefined;
}

const MKDIR_MS = 5_000;

/**
 * Returns a message if a hook outside a plugin uses a variable that only hooks of a plugin have, and that is not set.
 *
 * @param isSet runs a shell line in the environment of the hook, and returns whether it succeeds
 */
export async function findUnsetVariable(
  { command, args }: contract.CommandHandler,
  isSet: (script: string) => Promise<boolean>
): Promise<string | undefined> {
  const variable = USED.exec([command, ...(args ?? [])].join("\n"))?.[1];
  if (variable === undefined) return undefined;
  // Without a shell no variable is replaced.
  if (args === undefined && (await isSet(`[ -n "\${${variable}-}" ]`))) return undefined;
  return `its command uses \${${variable}}, which is not set, because the hook does not belong to a plugin; enable the plugin in Claude Code's "enabledPlugins" and set "importClaudeHooks", or write the path in the command`;
}
