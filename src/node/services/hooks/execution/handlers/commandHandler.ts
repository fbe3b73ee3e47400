/**
 * Runs hooks that are programs: a shell command line, an executable with arguments (H14, H15), or a copy of a script
 * hook with exactly the bytes that were read (H8). After a failure, adds advice about missing quotes or a variable of a
 * plugin that is not set.
 */
import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { posix } from "node:path";
import { ok } from "neverthrow";
import { KEPT_OUTPUT_BYTES } from "@/common/limits";
import type { Command, ExecResult, HookRuntime } from "@/node/runtime/HookRuntime";
import type * as contract from "@/node/services/hooks/contract/types";
import { serializeInput } from "@/node/services/hooks/contract/makeInput";
import * as environments from "@/node/services/hooks/execution/environment";
import * as handlers from "@/node/services/hooks/execution/handlers/handlerRun";
import {
  BLOCKING_EXIT,
  failed,
  failedWithExitCode,
  type HookVerdict,
  interpretExit,
  launchFailureOf,
  notStarted,
  quotingHint,
} from "@/node/services/hooks/execution/verdict";

export async function runCommand(
  handler: contract.CommandHandler,
  { hook, timeoutMs, signal, onOutput }: handlers.HandlerRun,
  context: handlers.StopContext
): Promise<handlers.HandlerResult> {
  const { runtime, projectDir, cwd } = context;
  const { plugin } = hook;
  const obstacle = plugin && (await environments.preparePlugin(runtime, plugin, handler, cwd));
  if (obstacle !== undefined) return handlers.resultOf(failed(obstacle));
  const claude = handler.dialect === "claude" ? context.claudeInput : undefined;
  const input = claude ?? context.programInput;
  const environment = environments.hookEnvironment(hook, input, context);
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
  const { event, name } = hook;
  const about = { event, name, timeoutMs, origin: handlers.originOf(hook) };
  const { end, stdout, stderr } = result;
  const given = interpretExit(result, { ...about, takesStdout: handler.asyncRewake === true });
  const unset = mayLackVariable(hook, result, given)
    ? await environments.findUnsetVariable(handler, isSet)
    : undefined;
  const verdict =
    unset === undefined
      ? given
      : failed(end.kind === "exited" ? failedWithExitCode(end.code, unset) : notStarted(unset));
  const mayNeedQuotes = handler.args === undefined && end.kind === "exited" && end.code !== 0;
  const hint = mayNeedQuotes ? quotingHint(handler.command, projectDir, plugin?.root) : undefined;
  return {
    verdict: hint === undefined ? verdict : { ...verdict, warnings: [...verdict.warnings, hint] },
    end,
    stdout,
    stderr,
  };
}

/** Returns whether a hook outside a plugin ended as if a variable of its command were empty. */
function mayLackVariable(
  { name, plugin, script }: handlers.HandlerRun["hook"],
  { end, stderr }: ExecResult,
  { outcome }: HookVerdict
): boolean {
  if (plugin !== undefined || script !== undefined) return false;
  // Exit 2 is a decision, unless the program could not start.
  if (end.kind === "exited" && end.code === BLOCKING_EXIT)
    return launchFailureOf(name, stderr.text) !== undefined;
  return end.kind === "notStarted" || (end.kind === "exited" && outcome === "failed");
}

/**
 * Returns the command to run, with the folders of the plugin filled in. With `args`, it also fills in the project
 * variables. Otherwise the shell expands them (H15, H38).
 */
function commandOf(
  { command, args, shell }: contract.CommandHandler,
  projectDir: string,
  plugin: contract.PluginOrigin | undefined
): Command {
  if (args === undefined) return { script: environments.fillPlaceholders(command, plugin), shell };
  const fill = (word: string): string =>
    environments
      .fillPlaceholders(word, plugin)
      .replaceAll(/\$\{(?:MUX|CLAUDE)_PROJECT_DIR\}/g, () => projectDir);
  return { file: fill(command), args: args.map(fill) };
}

/**
 * Runs a copy of a script hook with exactly these bytes.
 *
 * @param path of the script, which is not read
 * @param start starts the program at a path with additional environment variables
 */
async function runScript(
  runtime: HookRuntime,
  path: string,
  { bytes }: contract.ScriptFile,
  start: (path: string, env: Readonly<Record<string, string>>) => Promise<ExecResult>
): Promise<ExecResult> {
  const folder = runtime.isRemote ? await runtime.scratchDir() : ok(tmpdir());
  if (folder.isErr()) return notCopied(folder.error.message);
  const dir = posix.join(folder.value, `mux-hook-${randomBytes(12).toString("hex")}`);
  const copy = posix.join(dir, posix.basename(path));
  try {
    const written = await runtime.createFile(copy, bytes, { mode: 0o700 });
    if (written.isErr()) return notCopied(written.error.message);
    const { end, stderr, ...result } = await start(copy, { MUX_HOOK_PATH: path });
    // The path of the copy differs in each run, and equal failures must have equal texts (H19a).
    const withOriginalPath = (text: string): string => text.replaceAll(copy, () => path);
    return {
      ...result,
      end: end.kind === "notStarted" ? { ...end, message: withOriginalPath(end.message) } : end,
      stderr: { ...stderr, text: withOriginalPath(stderr.text) },
    };
  } finally {
    await runtime.remove(dir);
  }
}

function notCopied(why: string): ExecResult {
  const nothing = handlers.NO_OUTPUT;
  const message = `the script did not run, because no copy of it could be created: ${why}`;
  return { end: { kind: "notStarted", message }, stdout: nothing, stderr: nothing, durationMs: 0 };
}
