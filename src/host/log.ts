/** One line a matter, on standard error: the host's own log may be a file that nobody looks at. */
import { terminalText } from "@/common/foreignText";

const PREFIX = "[mux-stop-hooks]";
/** A fault that comes at every turn is said often enough. */
const MAX_LINES = 1_000;

let lines = 0;

export function log(text: string): void {
  if (lines++ >= MAX_LINES) return;
  try {
    process.stderr.write(`${PREFIX} ${terminalText(text).replaceAll("\n", `\n${PREFIX} `)}\n`);
  } catch {
    // A host whose standard error is gone goes on without it.
  }
}
