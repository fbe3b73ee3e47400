/** Runs hooks that are programs: a shell command line, or an executable with arguments (H14, H15). */
import type { Command, ExecResult } from "@/node/runtime/HookRuntime";
import {
  originOf,
  type HandlerResult,
  type HandlerRun,
  type StopContext,
} from "@/node/services/hooks/execution/handlers/types";
import { resultOf } from "@/node/services/hooks/execution/handlers/limitedRun";
import { runScript } from "@/node/services/hooks/execution/handlers/scriptRun";
import { hookEnvironment } from "@/node/services/hooks/execution/environment";
import { serializeInput } from "@/node/services/hooks/contract/input";
import {
  fillPlaceholders,
  findUnsetVariable,
  preparePlugin,
} from "@/node/services/hooks/execution/handlers/pluginRun";
import {
  BLOCKING_EXIT,
  failed,
  interpretExit,
  type HookVerdict,
} from "@/node/services/hooks/execution/verdict";
import { launchFailureOf, quotingHint } from "@/node/services/hooks/execution/launchFailure";
import { KEPT_OUTPUT_BYTES } from "@/common/limits";
import type { CommandHandler } from "@/node/services/hooks/contract/handlerTypes";
import type { PluginOrigin } from "@/node/services/hooks/contract/types";
import { failedWithExitCode, notStarted } from "@/node/services/hooks/messages/execution";

export async function runCommand(
  handler: CommandHandler,
  { hook, timeoutMs, signal, onOutput }: HandlerRun,
  context: StopContext
): Promise<HandlerResult> {
  const { runtime, projectDir, cwd } = context;
  const { plugin } = hook;
  const obstacle = plugin && (await preparePlugin(runtime, plugin, handler, cwd));
  if (obstacle !== undefined) return resultOf(failed(obstacle));
  const claude = handler.dialect === "claude" ? context.claudeInput : undefined;
  const input = claude ?? context.programInput;
  const environment = hookEnvironment(hook, input, context);
  const exec = (command: Command, env: Readonly<Record<string, string>> = {}) =>
    runtime.exec({
      command,
      cwd,
      ...environment,
      env: { ...environment.env, ...env },
      stdin: serializeInput(input),
      timeoutMs,
      signal,
      keepBytes: KEPT_OUTPUT_BYTES,
      onOutput,
    });
  const result =
    hook.script === undefined
      ? await exec(commandOf(handler, projectDir, plugin))
      : await runScript(runtime, handler.command, hook.script, (file, env) =>
          exec({ file, args: [] }, env)
        );
  const isSet = async (script: string): Promise<boolean> => {
    const { end } = await exec({ script });
    return end.kind === "exited" && end.code === 0;
  };
  const unset = mayLackVariable(hook, result) ? await findUnsetVariable(handler, isSet) : undefined;
  const judged = interpretExit(result, {
    event: hook.event,
    name: hook.name,
    timeoutMs,
    origin: originOf(hook),
    takesStdout: handler.asyncRewake === true,
  });
  const { end, stdout, stderr } = result;
  const verdict = unset === undefined ? judged : failedWithout(unset, result);
  const hint =
    handler.args === undefined && end.kind === "exited" && end.code !== 0
      ? quotingHint(handler.command, projectDir, plugin?.root)
      : undefined;
  return {
    verdict: {
      ...verdict,
      warnings: [...verdict.warnings, ...(hint === undefined ? [] : [hint])],
    },
    end,
    stdout: stdout.text,
    stderr: stderr.text,
    stdoutBytes: stdout.bytes,
    stderrBytes: stderr.bytes,
  };
}

/** Returns whether a hook outside a plugin ended as if a variable of its command were empty. */
function mayLackVariable(
  { name, plugin, script }: HandlerRun["hook"],
  { end, stderr }: ExecResult
): boolean {
  if (plugin !== undefined || script !== undefined) return false;
  if (end.kind === "notStarted") return true;
  if (end.kind !== "exited" || end.code === 0) return false;
  // Exit 2 is a decision, unless the program could not start.
  return end.code !== BLOCKING_EXIT || launchFailureOf(name, stderr.text) !== undefined;
}

function failedWithout(unset: string, { end }: ExecResult): HookVerdict {
  return failed(end.kind === "exited" ? failedWithExitCode(end.code, unset) : notStarted(unset));
}

/**
 * Returns the command to run, with the folders of the plugin. With `args`, replaces the project variables. Otherwise the
 * shell expands them (H15, H38).
 */
function commandOf(
  { command, args, shell }: CommandHandler,
  projectDir: string,
  plugin: PluginOrigin | undefined
): Command {
  if (args === undefined) {
    return { script: fillPlaceholders(command, plugin), ...(shell === undefined ? {} : { shell }) };
  }
  const fill = (word: string): string =>
    fillPlaceholders(word, plugin).replaceAll(
      /\$\{(?:MUX|CLAUDE)_PROJECT_DIR\}/g,
      () => projectDir
    );
  return { file: fill(command), args: args.map(fill) };
}
