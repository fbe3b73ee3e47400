/**
 * Runs the command of a check or a fix with files as its arguments (`{files}`) or on its standard input (`{files0}`)
 * (G32). Splits a long list of files into several calls, which share one log and one time limit, and formats the
 * command for messages.
 */
import { posix } from "node:path";
import { monotonicMs } from "@/common/monotonicMs";
import { plural } from "@/common/safeText";
import type * as port from "@/node/runtime/HookRuntime";
import { inBatches, weightOf } from "@/node/services/gauntlet/domain/commands/argumentLimits";
import { parseCommand } from "@/node/services/gauntlet/domain/commands/findPlaceholders";

/** One call of a command line. No file name is part of the script, so a shell never parses one. */
export interface ShellCall {
  readonly command: Extract<port.Command, { script: string }>;
  /** Each path followed by a NUL byte, for `{files0}`. */
  readonly stdin?: string;
  /** The paths of this call, as the command gets them. */
  readonly paths: readonly string[];
}

/**
 * Returns the calls of a command, whose `parseCommand(command).fault` is undefined. There is none if it has a
 * placeholder, but no file. A command without a placeholder is one call, which does not depend on the files.
 *
 * @param folder the one in which the command runs, relative to the project as the files are
 */
export function shellCalls(command: string, folder: string, files: readonly string[]): ShellCall[] {
  const { placeholder, parts } = parseCommand(command);
  if (placeholder === undefined) return [{ command: { script: command }, paths: [] }];
  const paths = files.map((file) => `./${posix.relative(folder, file)}`);
  if (paths.length === 0) return [];
  if (placeholder === "{files0}") {
    const stdin = paths.map((path) => `${path}\0`).join("");
    return [{ command: { script: parts.join("") }, stdin, paths }];
  }
  const script = parts.join('"$@"');
  return inBatches(paths, weightOf).map((args) => ({ command: { script, args }, paths: args }));
}

/** Paths that are longer than this in total are shown as the placeholder. */
const MAX_SHOWN_CHARS = 1_000;

/** Returns a command line for a message. If its paths are few and need no quotes, it can be run as shown. */
export function shownCommand(command: string, [call, ...others]: readonly ShellCall[]): string {
  if (call?.command.args === undefined || others.length > 0) return command;
  const paths = call.paths.join(" ");
  if (paths.length > MAX_SHOWN_CHARS || !/^[\w ./+=:,@%-]*$/.test(paths)) return command;
  const isPlain = call.paths.every((path) => !path.includes(" "));
  return isPlain ? parseCommand(command).parts.join(paths) : command;
}

type CallsRequest = Omit<port.ExecRequest, "command" | "stdin" | "timeoutMs" | "logTo"> & {
  readonly timeoutMs: number;
  readonly logTo: NonNullable<port.ExecRequest["logTo"]>;
};

/**
 * Runs the calls one after another. They share one log and one time limit. The end is that of the call with the worst
 * exit code. A call that does not exit by itself is the last one.
 *
 * @param calls at least one
 */
export async function runCalls(
  runtime: port.HookRuntime,
  calls: readonly ShellCall[],
  { timeoutMs, logTo, ...request }: CallsRequest
): Promise<Pick<port.ExecResult, "end" | "durationMs" | "logFailure">> {
  const start = monotonicMs();
  const elapsed = (): number => monotonicMs() - start;
  let worst: port.ExecEnd = { kind: "exited", code: 0 };
  let logFailure: port.ExecResult["logFailure"];
  for (const [i, { command, stdin, paths }] of calls.entries()) {
    const isLast = (end: port.ExecEnd): boolean => i === calls.length - 1 || end.kind !== "exited";
    const title = `Call ${i + 1} of ${calls.length}, with ${plural(paths.length, "file")}`;
    const result = await runtime.exec({
      ...request,
      command,
      stdin,
      // A call that starts at the limit is ended at once.
      timeoutMs: Math.max(1, timeoutMs - elapsed()),
      logTo: {
        path: logTo.path,
        keepBytes: Math.ceil(logTo.keepBytes / calls.length),
        header: `${i === 0 ? (logTo.header ?? "") : ""}${calls.length === 1 ? "" : `${title}\n`}`,
        footer: ({ end }) =>
          isLast(end)
            ? (logTo.footer?.({ end: worstOf(worst, end), durationMs: elapsed() }) ?? "")
            : "",
      },
    });
    worst = worstOf(worst, result.end);
    logFailure ??= result.logFailure;
    if (isLast(result.end)) break;
  }
  return { end: worst, durationMs: elapsed(), ...(logFailure === undefined ? {} : { logFailure }) };
}

/** Returns the worse one of two ends. One that is not an exit is the worst. */
function worstOf(worst: port.ExecEnd, end: port.ExecEnd): port.ExecEnd {
  if (end.kind !== "exited" || worst.kind !== "exited") return end;
  return end.code > worst.code ? end : worst;
}
