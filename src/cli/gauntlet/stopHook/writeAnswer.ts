/**
 * Writes the decision about a stop: on stdout or stderr in the format of the agent host, and on stderr as a log, unless
 * the host reads stderr (G23).
 */
import type { AgentHost, HostDecision } from "@/cli/gauntlet/hosts/types";
import type { CliContext, ExitCode, Output } from "@/cli/context";
import { personMessage } from "@/node/services/gauntlet/domain/stopAudience";
import * as statuses from "@/node/services/gauntlet/domain/runStatus";

export type Outputs = Pick<CliContext, "stdout" | "stderr">;

/** A decision for the host, with warnings for the log. */
export interface HookAnswer extends HostDecision {
  readonly warnings?: readonly string[];
}

/** Calls {@link give} with the message for the user that follows from the result alone (G25a). */
export function giveEarly(outputs: Outputs, host: AgentHost, answer: HookAnswer): ExitCode {
  return give(outputs, host, { ...answer, personMessage: personMessage(answer.result) });
}

/** Writes an answer. Returns the exit code that the host expects. */
export function give({ stdout, stderr }: Outputs, host: AgentHost, answer: HookAnswer): ExitCode {
  const isBlocked = statuses.isBlockingStatus(answer.result.status);
  const reason = isBlocked ? (answer.reason ?? "") : undefined;
  const written = host.answer({ ...answer, reason });
  stdout.write(written.stdout);
  stderr.write(written.stderr);
  // The host passes on the whole of stderr, to the agent or to the user.
  if (written.stderr === "") log(stderr, logOf(answer));
  return written.exitCode;
}

function logOf({ result, warnings = [] }: HookAnswer): string[] {
  const { status, message, consoleLogPath } = result;
  const running = consoleLogPath === undefined ? [] : ["Running gauntlet gates..."];
  const verdict =
    VERDICTS[status] ?? (statuses.isSuccessStatus(status) ? ["Gauntlet passed!"] : []);
  return ["Starting gauntlet validation...", ...running, ...warnings, ...verdict, message];
}

const VERDICTS: Partial<Record<statuses.GauntletStatus, string[]>> = {
  failed: ["Gauntlet failed, blocking stop"],
  retry_limit_exceeded: ["Termination condition met, allowing stop"],
  infrastructure_error: ["Infrastructure error detected, allowing stop"],
  no_changes: ["Nothing to check, allowing stop"],
  no_config: ["No gauntlet config found, allowing stop"],
  stop_hook_active: ["Stop hook already active, allowing stop"],
};

/** Writes each line with the prefix of the log. */
export function log(stderr: Output, texts: readonly string[]): void {
  const lines = texts.flatMap((text) => text.split("\n"));
  stderr.write(lines.map((line) => `[gauntlet] ${line}\n`).join(""));
}
