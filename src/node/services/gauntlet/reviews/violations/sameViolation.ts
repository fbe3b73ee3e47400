import type { TrackedViolation, Violation } from "@/node/services/gauntlet/domain/review";

/** What may name a violation that is known: a reviewer's repetition, or an entry of a file that was edited. */
export type Mention = Partial<Pick<TrackedViolation, "id">> &
  Pick<Violation, "file" | "line" | "issue">;

/** By its id, by file and line, or by file and text (G14a). */
export function isSameViolation(known: TrackedViolation, mention: Mention): boolean {
  if (mention.id === known.id) return true;
  if (plainPath(mention.file) !== plainPath(known.file)) return false;
  return (
    sameLine(known.line, mention.line) || plainIssue(known.issue) === plainIssue(mention.issue)
  );
}

/** Of whatever file. */
export function hasSameWords(known: TrackedViolation, mention: Pick<Mention, "issue">): boolean {
  return plainIssue(known.issue) === plainIssue(mention.issue);
}

function sameLine(a: Violation["line"], b: Violation["line"]): boolean {
  return a !== null && b !== null && String(a).trim() === String(b).trim();
}

/** However reviewers like to write it. */
export function plainPath(path: string): string {
  return path
    .trim()
    .replaceAll("\\", "/")
    .replace(/^(?:\.\/+)+/, "");
}

function plainIssue(text: string): string {
  return text.trim().replaceAll(/\s+/g, " ").toLowerCase();
}
