/** The lines of ours in a check's log, before and after what it printed (G30a). */
import type { Result } from "neverthrow";
import type { FileFailure, Files } from "@/node/runtime/Runtime";
import type { GateResult } from "@/node/services/gauntlet/domain/gate";

export interface CheckLog {
  readonly files: Files;
  /** Absolute. */
  readonly path: string;
  readonly now: () => Date;
}

interface Beginning {
  readonly title: string;
  readonly script: string;
  readonly cwd: string;
}

export function beginLog(
  { files, path, now }: CheckLog,
  { title, script, cwd }: Beginning
): Promise<Result<void, FileFailure>> {
  const lines = [title, `Command: ${script}`, `Folder: ${cwd}`];
  return files.appendFile(path, lines.map((line) => timed(now(), line)).join(""));
}

/** Its last line. A log that does not take it lacks nothing that the result does not say. */
export async function endLog({ files, path, now }: CheckLog, result: GateResult): Promise<void> {
  const { outcome, message, durationMs } = result;
  const why = message === undefined ? "" : ` - ${message}`;
  const line = timed(now(), `Result: ${outcome} (${(durationMs / 1000).toFixed(2)}s)${why}`);
  const last = await files.readFile(path, { maxBytes: 1, tail: true });
  const isLineOpen = last.unwrapOr(LINE_END)[0] !== LINE_END[0];
  await files.appendFile(path, isLineOpen ? `\n${line}` : line);
}

const LINE_END = Uint8Array.of(0x0a);

/** Further lines of a command are indented, so that none of them looks like one of ours. */
function timed(time: Date, text: string): string {
  return `[${time.toISOString()}] ${text.replace(/\n(?=.)/g, "\n    ").trimEnd()}\n`;
}
