/** Logs each message as a line to standard error, because the host's own log may be a file that users never read. */
import { terminalText } from "@/common/foreignText";

const PREFIX = "[mux-stop-hooks]";
/** The maximum number of messages for a process, to limit a fault that recurs at every turn. */
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
