/** The formats in which agent hosts take a decision (G23, G27b). A stop loads them all, so they import no library. */
import type { HostAnswer, HostDecision } from "@/cli/gauntlet/hosts/types";

export type Answer = (decision: HostDecision) => HostAnswer;

/** The line of JSON that Claude Code and its imitators accept. Never has `continue`: `false` would outrank the block. */
export function jsonLine({ result, reason, personMessage }: HostDecision): HostAnswer {
  const { status } = result;
  // An excerpt of a file contains line breaks.
  const message = result.message.replaceAll(/\s+/g, (blank) =>
    blank.includes("\n") ? " " : blank
  );
  return printed({
    decision: reason === undefined ? "approve" : "block",
    ...{ status, message, reason, stopReason: reason },
    systemMessage: prefixed(personMessage),
  });
}

/** The same without the fields that strict hosts reject, such as `decision: "approve"`. */
export function strictLine({ reason, personMessage }: HostDecision): HostAnswer {
  const decision = reason === undefined ? undefined : "block";
  return printed({ decision, reason, systemMessage: prefixed(personMessage) });
}

/** The field by which a host sends the agent a message that it did not wait for. */
export function followup({ reason }: HostDecision): HostAnswer {
  return printed({ followup_message: reason });
}

function okLine({ reason, personMessage }: HostDecision): HostAnswer {
  return printed({ ok: reason === undefined, reason, systemMessage: prefixed(personMessage) });
}

/** Blocks with exit code 2 and the reason on stderr. Most hosts show their user the stderr of any other failure. */
export const exit2 = orShown(1, ({ reason }) =>
  reason === undefined ? SILENT : { stdout: "", stderr: `${reason}\n`, exitCode: 2 }
);

/** Answers that `--answer` selects for a host that is not known (G27b). */
export const ANSWERS = { claude: jsonLine, exit2, followup, ok: okLine } as const;

const SILENT: HostAnswer = { stdout: "", stderr: "", exitCode: 0 };

/** Shows the user a message by a failure that does not block. Without a message, or for a block, gives the answer. */
export function orShown(exitCode: 1 | 2, answer: Answer): Answer {
  return (decision) =>
    decision.reason === undefined && decision.personMessage !== undefined
      ? { stdout: "", stderr: `${prefixed(decision.personMessage) ?? ""}\n`, exitCode }
      : answer(decision);
}

/** Leaves out fields without a value. */
export function printed(fields: object): HostAnswer {
  return { ...SILENT, stdout: `${JSON.stringify(fields)}\n` };
}

/** Marks each line as ours. */
export function prefixed(text?: string): string | undefined {
  return text?.replaceAll(/^/gm, "Gauntlet: ");
}
