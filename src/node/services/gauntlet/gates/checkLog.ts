/** The lines that the gauntlet adds to a check's log, before and after its output (G30a). */
import type { GateResult } from "@/node/services/gauntlet/domain/gate";

/** The lines that the gauntlet writes to a log, before and after the output. */
export interface LogFrame {
  readonly header: string;
  readonly footer: string;
}

export function firstLines(title: string, script: string, cwd: string, now: Date): string {
  const lines = [title, `Command: ${script}`, `Folder: ${cwd}`];
  return lines.map((line) => timed(now, line)).join("");
}

export function lastLine(
  { outcome, message, durationMs }: Pick<GateResult, "outcome" | "message" | "durationMs">,
  now: Date
): string {
  const why = message === undefined ? "" : ` - ${message}`;
  return timed(now, `Result: ${outcome} (${(durationMs / 1000).toFixed(2)}s)${why}`);
}

/** Formats a line. Further lines of a command are indented, so that they cannot be taken for lines of the gauntlet. */
function timed(time: Date, text: string): string {
  return `[${time.toISOString()}] ${text.replace(/\n(?=.)/g, "\n    ").trimEnd()}\n`;
}
