/** The end of a check's log, without the lines of the gauntlet. */
import { plainText } from "@/common/text";
import type { Files } from "@/node/runtime/HookRuntime";
import type { GateResult } from "@/node/services/gauntlet/domain/gate";

/** Returns an empty text if there is no log, it cannot be read, or the gate is a review. */
export async function endOfLog(
  files: Files,
  { logPath, slots }: Pick<GateResult, "logPath" | "slots">,
  maxBytes: number
): Promise<string> {
  if (logPath === undefined || slots !== undefined) return "";
  const read = await files.readFile(logPath, { maxBytes, tail: true });
  if (read.isErr()) return "";
  const lines = plainText(new TextDecoder().decode(read.value)).trim().split("\n");
  return lines.filter((line) => !OWN_LINE.test(line)).join("\n");
}

/** Matches lines that the gauntlet writes to a log. A description of the gate already has their content. */
const OWN_LINE = /^\[\d{4}-[\dT:.-]+Z\] (?:Result: |Command: |Folder: |check:)/;
