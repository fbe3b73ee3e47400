/** The decision, as the host of an agent reads it (G23). */
import type { CliContext } from "@/cli/context";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { isBlockingStatus } from "@/node/services/gauntlet/domain/status";

export interface Answer {
  readonly result: RunResult;
  readonly warnings?: readonly string[];
  /** Of a block: what the agent is sent. */
  readonly reason?: string;
}

/** One line of JSON on stdout, everything for people on stderr. */
export function give(
  { stdout, stderr }: Pick<CliContext, "stdout" | "stderr">,
  { result, warnings = [], reason }: Answer
): void {
  const { status, message } = result;
  const decision = isBlockingStatus(status)
    ? { decision: "block", ...told(result), reason, stopReason: reason }
    : { decision: "approve", ...told(result) };
  stdout.write(`${JSON.stringify(decision)}\n`);
  const lines = [...warnings, message].join("\n").split("\n");
  stderr.write(lines.map((line) => `[gauntlet] ${line}\n`).join(""));
}

/** An excerpt of a file has lines of its own. */
function told({ status, message }: RunResult): Pick<RunResult, "status" | "message"> {
  return { status, message: message.replaceAll(/\s*\n\s*/g, " ") };
}
