/** The traces of a gate on disk: the end of a check's log, and the unresolved violations of a review (G26). */
import { clip, plainText, visible } from "@/common/text";
import type { Files } from "@/node/runtime/HookRuntime";
import type { GateResult } from "@/node/services/gauntlet/domain/gate";
import { OUTSIDE, UNCONFIRMED } from "@/node/services/gauntlet/messages/shared";
import { readResultFile } from "@/node/services/gauntlet/reviews/violations/resultFile";

const MAX_ISSUE_CHARS = 400;
const MAX_PLACE_CHARS = 200;

/** Matches lines that the gauntlet writes to a log. A description of the gate already has their content. */
const OWN_LINE = /^\[\d{4}-[\dT:.-]+Z\] (?:Result: |Command: |Folder: |check:)/;

/** Returns an empty text if there is no log, it cannot be read, or the gate is a review. */
export async function endOfLog(
  files: Files,
  { logPath, slots }: Pick<GateResult, "logPath" | "slots">,
  maxBytes: number
): Promise<string> {
  if (logPath === undefined || slots !== undefined) return "";
  const read = await files.readFile(logPath, { maxBytes, tail: true });
  const text = read.map((bytes) => new TextDecoder().decode(bytes)).unwrapOr("");
  const lines = plainText(text).trim().split("\n");
  return lines.filter((line) => !OWN_LINE.test(line)).join("\n");
}

/** Returns lines of `file:line priority: text`; none if the file cannot be read. */
export async function openViolations(files: Files, path: string): Promise<string[]> {
  const read = await readResultFile(files, path);
  const entries = read.kind === "read" ? read.entries : [];
  return entries
    .filter(({ status }) => status !== "skipped")
    .map(({ file, line, priority, issue, outside, unconfirmed }) => {
      const place = `${text(file)}${line == null ? "" : `:${text(line)}`}`;
      const notes = [outside === true ? OUTSIDE : "", unconfirmed === true ? UNCONFIRMED : ""]
        .filter((note) => note !== "")
        .map((note) => ` (${note})`);
      const severity = `${text(priority)}${notes.join("")}`;
      return `${clip(place, MAX_PLACE_CHARS)} ${severity}: ${clip(text(issue), MAX_ISSUE_CHARS)}`;
    });
}

function text(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? visible(String(value)) : "";
}
