/** Lists the unresolved violations in a review's JSON, one line each (G26). */
import { clip, visible } from "@/common/text";
import type { Files } from "@/node/runtime/HookRuntime";
import { OUTSIDE, UNCONFIRMED } from "@/node/services/gauntlet/messages/shared";
import {
  readResultFile,
  type FileEntry,
} from "@/node/services/gauntlet/reviews/violations/resultFile";

const MAX_ISSUE_CHARS = 400;
const MAX_PLACE_CHARS = 200;

/** Returns lines of `file:line priority: text`; none if the file cannot be read. */
export async function openViolations(files: Files, path: string): Promise<string[]> {
  const read = await readResultFile(files, path);
  if (read.kind !== "read") return [];
  return read.entries.filter(({ status }) => status !== "skipped").map(describe);
}

function describe({ file, line, priority, issue, outside, unconfirmed }: FileEntry): string {
  const place = `${text(file)}${line == null ? "" : `:${text(line)}`}`;
  const notes = [
    ...(outside === true ? [OUTSIDE] : []),
    ...(unconfirmed === true ? [UNCONFIRMED] : []),
  ];
  const severity = [text(priority), ...notes.map((note) => `(${note})`)].join(" ");
  return `${clip(place, MAX_PLACE_CHARS)} ${severity}: ${clip(text(issue), MAX_ISSUE_CHARS)}`;
}

function text(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? visible(String(value)) : "";
}
