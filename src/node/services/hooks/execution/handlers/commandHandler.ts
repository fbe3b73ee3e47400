/** Runs hooks that are programs: a shell command line, or an executable with arguments (H14, H15). */
import type { Command } from "@/node/runtime/HookRuntime";
import {
  originOf,
  type HandlerResult,
  type HandlerRun,
  type StopContext,
} from "@/node/services/hooks/execution/handlers/types";
import { runScript } from "@/node/services/hooks/execution/handlers/scriptRun";
import { hookEnvironment } from "@/node/services/hooks/execution/environment";
import { serializeInput } from "@/node/services/hooks/contract/input";
import { interpretExit } from "@/node/services/hooks/execution/verdict";
import { quotingHint } from "@/node/services/hooks/execution/launchFailure";
import { KEPT_OUTPUT_BYTES } from "@/common/limits";
import type { CommandHandler } from "@/node/services/hooks/contract/handlerTypes";

export async function runCommand(
  handler: CommandHandler,
  { hook, timeoutMs, signal }: HandlerRun,
  context: StopContext
): Promise<HandlerResult> {
  const { runtime, projectDir, cwd } = context;
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
    });
  const { result, warnings } =
    hook.script === undefined
      ? { result: await exec(commandOf(handler, projectDir)), warnings: [] }
      : await runScript(runtime, handler.command, hook.script, (file, env) =>
          exec({ file, args: [] }, env)
        );
  const verdict = interpretExit(result, {
    event: hook.event,
    name: hook.name,
    timeoutMs,
    origin: originOf(hook),
    takesStdout: handler.asyncRewake === true,
  });
  const { end, stdout, stderr } = result;
  const hint =
    handler.args === undefined && end.kind === "exited" && end.code !== 0
      ? quotingHint(handler.command, projectDir)
      : undefined;
  return {
    verdict: {
      ...verdict,
      warnings: [...warnings, ...verdict.warnings, ...(hint === undefined ? [] : [hint])],
    },
    end,
    stdout: stdout.text,
    stderr: stderr.text,
    stdoutBytes: stdout.bytes,
    stderrBytes: stderr.bytes,
  };
}

/** Returns the command to run. With `args`, replaces the project variables. Otherwise the shell expands them (H15). */
function commandOf({ command, args, shell }: CommandHandler, projectDir: string): Command {
  if (args === undefined) return { script: command, ...(shell === undefined ? {} : { shell }) };
  const fill = (word: string): string =>
    word.replaceAll(/\$\{(?:MUX|CLAUDE)_PROJECT_DIR\}/g, () => projectDir);
  return { file: fill(command), args: args.map(fill) };
}
