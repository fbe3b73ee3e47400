/**
 * Writes what concerns the user of Mux to Mux's standard error (`log`), up to a maximum number of messages for each
 * process, and has the messages that several files of the hooks in Mux write there.
 */
import { terminalText } from "@/common/safeText";

// Attaching

const FEATURES_OFF = {
  stop: "Stop hooks are off",
  "subagent-stop": "SubagentStop hooks are off",
  run: "`mux run` does not wait for hooks",
  editor: "`mux acp` does not wait for hooks",
  trust:
    'the trust that Mux itself records is not checked; "mux-stop-hooks hooks trust" alone decides',
  remote: "hooks in remote workspaces are off",
} as const;

/** Describes a feature that is off because the host does not have the `missing` members that it needs. */
export function featureOff(feature: keyof typeof FEATURES_OFF, missing: readonly string[]): string {
  return `${FEATURES_OFF[feature]}: this version of Mux has ${listMissing(missing)}`;
}

/** Lists missing members. The text is also the state of an integration point in `mux-stop-hooks hooks doctor`. */
export function listMissing(missing: readonly string[]): string {
  return `no ${missing.join(", no ")}`;
}

/** Describes an export of a module of the host, for a list of missing members. */
export function missingExport(name: string, file: string): string {
  return `${name} of ${file}`;
}

/** Describes an error of a patch. @param target the module, with the name of its export if it is known */
export function attachFailed(target: string, detail: string): string {
  return `hooks could not be attached to ${target}: ${detail}`;
}

// Stops

/** A person has typed a message while hooks ran. */
export const MESSAGE_GOES_FIRST =
  "the hooks were ended because your message goes first; the changes are checked at the next stop";

export const TURN_INTERRUPTED = "the turn was interrupted";

const PREFIX = "[mux-stop-hooks]";
/** The maximum number of messages of a process, so that a fault at every turn does not fill the log. */
const MAX_MESSAGES = 1_000;

let messages = 0;

/** Logs a message to standard error, because the host's own log may be a file that users never read. */
export function log(text: string): void {
  if (messages++ >= MAX_MESSAGES) return;
  try {
    process.stderr.write(`${PREFIX} ${terminalText(text).replaceAll("\n", `\n${PREFIX} `)}\n`);
  } catch {
    // A host whose standard error is closed continues without logging.
  }
}
