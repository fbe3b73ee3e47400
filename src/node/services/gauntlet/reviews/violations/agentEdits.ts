/**
 * Reads the agent's edits of the violations that it was shown. Only `status` and `result` count; other edits are
 * ignored. No edit closes a violation, except a skip with a reason (G14, G14a).
 */
import {
  isReason,
  VIOLATION_STATUSES,
  type TrackedViolation,
} from "@/node/services/gauntlet/domain/review";
import type {
  FileEntry,
  ResultFileRead,
} from "@/node/services/gauntlet/reviews/violations/resultFile";
import { clip, visible, plural } from "@/common/text";
import { editProblem } from "@/node/services/gauntlet/messages/shared";

export interface Edits {
  readonly violations: readonly TrackedViolation[];
  /** Problems with the file and how to fix them, for the user and the agent. */
  readonly problems: readonly string[];
  /** False if the file is missing or broken: the agent's work is unknown, and the slot reviews the whole change. */
  readonly isIntact: boolean;
}

/**
 * Applies the edits to the violations.
 *
 * @param path the file's name in messages
 */
export function takeEdits(
  before: readonly TrackedViolation[],
  read: ResultFileRead,
  path: string
): Edits {
  if (read.kind !== "read") {
    const why = read.kind === "gone" ? "the file no longer exists" : read.message;
    const problem = `${path}: ${why}${before.length > 0 ? "; its violations are still unresolved" : ""}`;
    return { violations: before, problems: [problem], isIntact: false };
  }
  const problems: string[] = [];
  const note = (violation: TrackedViolation, text: string): void => {
    const { id, file, line } = violation;
    const place = visible(line === null ? file : `${file}:${line}`);
    problems.push(editProblem(path, id, place, text));
  };
  const free = new Set(read.entries);
  const violations = before.map((violation) => {
    const entry = findEntry(violation, free);
    if (entry === undefined) {
      note(
        violation,
        'was removed from the file and is still unresolved; put it back and set its "status"'
      );
      return { ...violation, status: "new" as const };
    }
    free.delete(entry);
    return takeEntry(violation, entry, note);
  });
  if (free.size > 0)
    problems.push(
      `${path}: ignored ${plural(free.size, "violation")} that the reviewer did not report`
    );
  return { violations, problems, isIntact: true };
}

/** Finds the entry with the violation's ID. Matches entries without an ID by their content. */
function findEntry(
  { id, file, line, issue }: TrackedViolation,
  entries: ReadonlySet<FileEntry>
): FileEntry | undefined {
  const all = [...entries];
  return (
    all.find((entry) => entry.id === id) ??
    all.find(
      (entry) =>
        entry.id === undefined &&
        (entry.file ?? "") === file &&
        (entry.line ?? null) === line &&
        entry.issue === issue
    )
  );
}

function takeEntry(
  violation: TrackedViolation,
  entry: FileEntry,
  note: (violation: TrackedViolation, text: string) => void
): TrackedViolation {
  const { result: before, ...rest } = violation;
  const changed = (["file", "line", "issue", "priority", "fix"] as const).filter(
    (key) => key in entry && (entry[key] ?? null) !== (violation[key] ?? null)
  );
  if (changed.length > 0) {
    note(
      violation,
      `has changes in ${changed.join(", ")}, which are ignored; edit only "status" and "result"`
    );
  }
  const { result } = entry;
  const given: { result?: string } =
    typeof result === "string" && result.trim() !== "" ? { result } : {};
  const written = typeof entry.status === "string" ? entry.status.trim().toLowerCase() : undefined;
  const status = VIOLATION_STATUSES.find((known) => known === written);
  if (status === undefined) {
    const found =
      entry.status === undefined
        ? "no status"
        : `the status ${clip(visible(JSON.stringify(entry.status)), 60)}`;
    note(violation, `has ${found} and is still unresolved; set it to "fixed" or "skipped"`);
    return { ...rest, status: "new", ...given };
  }
  if (status === "skipped" && !isReason(given.result)) {
    note(
      violation,
      'is skipped without a reason of at least three words and is still unresolved; write the reason in its "result"'
    );
  }
  return { ...rest, status, ...given };
}
