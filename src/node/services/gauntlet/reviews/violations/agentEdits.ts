/**
 * What the agent says of the violations that it was shown: `status` and `result` count, whatever else it changed does
 * not. Nothing that is done to the file closes a violation but a skip with a reason (G14, G14a).
 */
import { VIOLATION_STATUSES, type TrackedViolation } from "@/node/services/gauntlet/domain/review";
import type {
  FileEntry,
  ResultFileRead,
} from "@/node/services/gauntlet/reviews/violations/resultFile";
import { clip, visible } from "@/common/text";

export interface Edits {
  readonly violations: readonly TrackedViolation[];
  /** For the person and the agent: what is wrong with the file, and what to do. */
  readonly problems: readonly string[];
  /** False: the file is gone or broken, so what the agent did is not known, and its slot sees the whole change. */
  readonly isIntact: boolean;
}

/** @param path how the file is called in what is said of it */
export function takeEdits(
  before: readonly TrackedViolation[],
  read: ResultFileRead,
  path: string
): Edits {
  if (read.kind !== "read") {
    const what = read.kind === "gone" ? "it is gone" : read.message;
    const kept = before.length === 0 ? "" : "; the violations that it held are still open";
    return { violations: before, problems: [`${path}: ${what}${kept}`], isIntact: false };
  }
  const problems: string[] = [];
  const note = (violation: TrackedViolation, text: string): void => {
    problems.push(`${path}: violation ${violation.id} (${placeOf(violation)}) ${text}`);
  };
  const free = new Set(read.entries);
  const violations = before.map((violation) => {
    const entry = findEntry(violation, free);
    if (entry === undefined) {
      note(
        violation,
        'was taken out of the file and is still open; put it back and set its "status"'
      );
      return { ...violation, status: "new" as const };
    }
    free.delete(entry);
    return takeEntry(violation, entry, note);
  });
  if (free.size > 0) {
    problems.push(
      `${path}: ${free.size} of its violations are none of the reviewer's, and do not count`
    );
  }
  return { violations, problems, isIntact: true };
}

/** By its id; in a file without, by what it says. */
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
    note(violation, `had its ${changed.join(", ")} changed; it counts as it was found`);
  }
  const { result } = entry;
  const said = typeof result === "string" && result.trim() !== "" ? { result } : {};
  const status = statusOf(entry.status);
  if (status === undefined) {
    const found = clip(visible(describe(entry.status)), 60);
    note(violation, `has the status ${found} and is still open; it may be "fixed" or "skipped"`);
    return { ...rest, status: "new", ...said };
  }
  if (status === "skipped" && !("result" in said)) {
    note(violation, 'is skipped without a reason and is still open; say why in its "result"');
  }
  return { ...rest, status, ...said };
}

function statusOf(status: unknown): TrackedViolation["status"] | undefined {
  if (typeof status !== "string") return undefined;
  const plain = status.trim().toLowerCase();
  return VIOLATION_STATUSES.find((known) => known === plain);
}

function placeOf({ file, line }: TrackedViolation): string {
  return visible(line === null ? file : `${file}:${line}`);
}

/** What is absent has no JSON. */
function describe(status: unknown): string {
  return status === undefined ? "nothing" : JSON.stringify(status);
}
