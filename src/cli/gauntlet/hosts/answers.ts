/**
 * Formats a decision of `stop-hook` as the agent hosts accept it (G23, G27b). Every stop loads this file, so it
 * imports no library.
 */
import type { HostAnswer, HostDecision } from "@/cli/gauntlet/hosts/types";

export type Answer = (decision: HostDecision) => HostAnswer;

/**
 * Returns the line of JSON that Claude Code and its imitators accept. It never has `continue`, because `false` would
 * outrank the block.
 */
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

/** Returns the line of JSON without the fields that strict hosts reject, such as `decision: "approve"`. */
export function strictLine({ reason, personMessage }: HostDecision): HostAnswer {
  const decision = reason === undefined ? undefined : "block";
  return printed({ decision, reason, systemMessage: prefixed(personMessage) });
}

/** Returns the line for a host that sends the reason to the agent as the next message of the user. */
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

/** The answers that `--answer` selects for a host that is not known (G27b). */
export const ANSWERS = { claude: jsonLine, exit2, followup, ok: okLine } as const;

const SILENT: HostAnswer = { stdout: "", stderr: "", exitCode: 0 };

/**
 * Returns an answer that shows the user a message by a failure that does not block. Without a message, or for a block,
 * it is the given answer.
 */
export function orShown(exitCode: 1 | 2, answer: Answer): Answer {
  return (decision) =>
    decision.reason === undefined && decision.personMessage !== undefined
      ? { stdout: "", stderr: `${prefixed(decision.personMessage) ?? ""}\n`, exitCode }
      : answer(decision);
}

/** Returns an answer with the fields as a line of JSON. Fields that are undefined are left out. */
export function printed(fields: object): HostAnswer {
  return { ...SILENT, stdout: `${JSON.stringify(fields)}\n` };
}

/** Puts the name of the gauntlet before each line, so that the user knows who wrote it. */
export function prefixed(text?: string): string | undefined {
  return text?.replaceAll(/^/gm, "Gauntlet: ");
}
