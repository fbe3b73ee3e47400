/** The line of JSON that most agent hosts accept (G23). */
import type { HostAnswer, HostDecision } from "@/cli/gauntlet/agentHosts/types";
import { isBlockingStatus } from "@/node/services/gauntlet/domain/status";

/** Never prints `continue`: `false` would end the agent and outrank the block. */
export function jsonLine({ result, reason, personMessage }: HostDecision): HostAnswer {
  const { status } = result;
  // An excerpt of a file contains line breaks.
  const message = result.message.replaceAll(/\s+/g, (blank) =>
    blank.includes("\n") ? " " : blank
  );
  const line = {
    decision: isBlockingStatus(status) ? "block" : "approve",
    status,
    message,
    ...(isBlockingStatus(status) ? { reason, stopReason: reason } : {}),
    ...(personMessage === undefined ? {} : { systemMessage: prefixed(personMessage) }),
  };
  return { stdout: `${JSON.stringify(line)}\n`, stderr: "", exitCode: 0 };
}

/** Marks each line as ours. */
export function prefixed(text: string): string {
  return text.replaceAll(/^/gm, "Gauntlet: ");
}
