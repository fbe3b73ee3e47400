/** Logs each message as a line to standard error, because the host's own log may be a file that users never read. */
import { terminalText } from "@/common/foreignText";

const PREFIX = "[mux-stop-hooks]";
/** The maximum number of messages of a process, so that a fault at every turn does not fill the log. */
const MAX_LINES = 1_000;

let lines = 0;

export function log(text: string): void {
  if (lines++ >= MAX_LINES) return;
  try {
    process.stderr.write(`${PREFIX} ${terminalText(text).replaceAll("\n", `\n${PREFIX} `)}\n`);
  } catch {
    // A host whose standard error is closed continues without logging.
  }
}
