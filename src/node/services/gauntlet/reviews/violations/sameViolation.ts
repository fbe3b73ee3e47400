import type { TrackedViolation, Violation } from "@/node/services/gauntlet/domain/review";

/** A possible reference to a known violation: one that a reviewer repeats, or an entry of an edited file. */
export type Mention = Partial<Pick<TrackedViolation, "id">> &
  Pick<Violation, "file" | "line" | "issue">;

/** Compares the ID, or file and line, or file and text (G14a). */
export function isSameViolation(known: TrackedViolation, mention: Mention): boolean {
  if (mention.id === known.id) return true;
  if (plainPath(mention.file) !== plainPath(known.file)) return false;
  return (
    sameLine(known.line, mention.line) || plainIssue(known.issue) === plainIssue(mention.issue)
  );
}

/** Compares the texts, whatever the files. */
export function hasSameWords(known: TrackedViolation, mention: Pick<Mention, "issue">): boolean {
  return plainIssue(known.issue) === plainIssue(mention.issue);
}

function sameLine(a: Violation["line"], b: Violation["line"]): boolean {
  return a !== null && b !== null && String(a).trim() === String(b).trim();
}

/** Removes the differences in how reviewers write a path. */
export function plainPath(path: string): string {
  return path
    .trim()
    .replaceAll("\\", "/")
    .replace(/^(?:\.\/+)+/, "");
}

function plainIssue(text: string): string {
  return text.trim().replaceAll(/\s+/g, " ").toLowerCase();
}
