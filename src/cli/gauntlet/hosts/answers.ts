/** The formats in which agent hosts take a decision (G23, G27b). A stop loads them all, so they import no library. */
import type { HostAnswer, HostDecision } from "@/cli/gauntlet/hosts/types";
import { isBlockingStatus } from "@/node/services/gauntlet/domain/status";

export type Answer = (decision: HostDecision) => HostAnswer;

/** The line of JSON that Claude Code and its imitators accept. Never has `continue`: `false` would outrank the block. */
export function jsonLine({ result, reason, personMessage }: HostDecision): HostAnswer {
  const { status } = result;
  // An excerpt of a file contains line breaks.
  const message = result.message.replaceAll(/\s+/g, (blank) =>
    blank.includes("\n") ? " " : blank
  );
  return printed({
    decision: isBlockingStatus(status) ? "block" : "approve",
    status,
    message,
    ...(isBlockingStatus(status) ? { reason, stopReason: reason } : {}),
    systemMessage: prefixed(personMessage),
  });
}

/** The same without the fields that strict hosts reject, such as `decision: "approve"`. */
export function strictLine({ result, reason, personMessage }: HostDecision): HostAnswer {
  return printed({
    ...(isBlockingStatus(result.status) ? { decision: "block", reason } : {}),
    systemMessage: prefixed(personMessage),
  });
}

/** The field by which a host sends the agent a message that it did not wait for. */
export function followup({ result, reason }: HostDecision): HostAnswer {
  return printed(isBlockingStatus(result.status) ? { followup_message: reason } : {});
}

function okLine({ result, reason, personMessage }: HostDecision): HostAnswer {
  const isBlocked = isBlockingStatus(result.status);
  return printed({
    ok: !isBlocked,
    ...(isBlocked ? { reason } : {}),
    systemMessage: prefixed(personMessage),
  });
}

/** Blocks with exit code 2 and the reason on stderr. Most hosts show their user the stderr of any other failure. */
export function exit2({ result, reason = "", personMessage }: HostDecision): HostAnswer {
  if (isBlockingStatus(result.status)) return { stdout: "", stderr: `${reason}\n`, exitCode: 2 };
  return personMessage === undefined ? SILENT : shown(personMessage, 1);
}

/** Answers that `--answer` selects for a host that is not known (G27b). */
export const ANSWERS = { claude: jsonLine, exit2, followup, ok: okLine } as const;

const SILENT: HostAnswer = { stdout: "", stderr: "", exitCode: 0 };

/** Shows the user a message by a failure that does not block. */
export function shown(personMessage: string, exitCode: 1 | 2): HostAnswer {
  return { stdout: "", stderr: `${prefixed(personMessage)}\n`, exitCode };
}

/** Leaves out fields without a value. */
export function printed(fields: object): HostAnswer {
  return { ...SILENT, stdout: `${JSON.stringify(fields)}\n` };
}

/** Marks each line as ours. */
export function prefixed(text: string): string;
export function prefixed(text: string | undefined): string | undefined;
export function prefixed(text: string | undefined): string | undefined {
  return text?.replaceAll(/^/gm, "Gauntlet: ");
}
