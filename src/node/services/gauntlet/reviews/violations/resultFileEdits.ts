/**
 * Applies the agent's edits of a result file to the violations of its slot (one of the reviews of a gate): only
 * `status` and `result` count, and no edit closes a violation, except a skip with a reason (G14, G14a). For the command
 * `skip`, finds a violation by its ID and makes this edit (G30b).
 */
import { posix } from "node:path";
import { err, ok, type Result } from "neverthrow";
import * as reviews from "@/node/services/gauntlet/domain/reviewViolations";
import * as resultFiles from "@/node/services/gauntlet/reviews/violations/resultFile";
import { clip, visible, plural } from "@/common/safeText";
import { isJsonObject, parseJson } from "@/common/json";
import type { Files } from "@/node/runtime/HookRuntime";
import type { ExecutionState } from "@/node/services/gauntlet/state/executionState";
import { editProblem } from "@/node/services/gauntlet/messages/shared";

/** The violations of a slot after the agent's edits. */
export interface Edits {
  readonly violations: readonly reviews.TrackedViolation[];
  /** Problems with the file and how to fix them, for the user and the agent. */
  readonly problems: readonly string[];
  /** False if the file is missing or broken: the agent's work is unknown, and the slot reviews the whole change. */
  readonly isIntact: boolean;
}

/**
 * Applies the edits in a result file to the violations.
 *
 * @param path the file's name in messages
 */
export function takeEdits(
  before: readonly reviews.TrackedViolation[],
  read: resultFiles.ResultFileRead,
  path: string
): Edits {
  if (read.kind !== "read") {
    const why = read.kind === "gone" ? "the file no longer exists" : read.message;
    const problem = `${path}: ${why}${before.length > 0 ? "; its violations are still unresolved" : ""}`;
    return { violations: before, problems: [problem], isIntact: false };
  }
  const problems: string[] = [];
  const note = (violation: reviews.TrackedViolation, text: string): void => {
    const { id, file, line } = violation;
    const place = visible(line === null ? file : `${file}:${line}`);
    problems.push(editProblem(path, id, place, text));
  };
  const free = new Map<string, resultFiles.FileEntry[]>();
  for (const entry of read.entries.toReversed()) {
    const key = keyOf(entry);
    free.set(key, free.get(key) ?? []);
    free.get(key)?.push(entry);
  }
  let taken = 0;
  const violations = before.map((violation) => {
    // Matches entries without an ID by their content.
    const entry =
      free.get(violation.id)?.pop() ?? free.get(keyOf({ ...violation, id: undefined }))?.pop();
    if (entry === undefined) {
      note(
        violation,
        'was removed from the file and is still unresolved; put it back and set its "status"'
      );
      return { ...violation, status: "new" as const };
    }
    taken++;
    return takeEntry(violation, entry, note);
  });
  const more = read.entries.length - taken;
  if (more > 0)
    problems.push(`${path}: ignored ${plural(more, "violation")} that the reviewer did not report`);
  return { violations, problems, isIntact: true };
}

/** Returns the ID of an entry, or its content if it has none. */
function keyOf({ id, file, line, issue }: resultFiles.FileEntry): string {
  return typeof id === "string" ? id : JSON.stringify([id, file ?? "", line ?? null, issue]);
}

function takeEntry(
  violation: reviews.TrackedViolation,
  entry: resultFiles.FileEntry,
  note: (violation: reviews.TrackedViolation, text: string) => void
): reviews.TrackedViolation {
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
  const status = reviews.VIOLATION_STATUSES.find((known) => known === written);
  if (status === undefined) {
    const found =
      entry.status === undefined
        ? "no status"
        : `the status ${clip(visible(JSON.stringify(entry.status)), 60)}`;
    note(violation, `has ${found} and is still unresolved; set it to "fixed" or "skipped"`);
    return { ...rest, status: "new", ...given };
  }
  if (status === "skipped" && !reviews.isReason(given.result)) {
    note(
      violation,
      'is skipped without a reason of at least three words and is still unresolved; write the reason in its "result"'
    );
  }
  return { ...rest, status, ...given };
}

/** A violation in the state of a run, with its slot. */
export interface KnownViolation {
  readonly jobId: string;
  readonly slot: string;
  readonly reviewer: string;
  /** Name of its slot's JSON file in the log folder. */
  readonly file: string | undefined;
  readonly violation: reviews.TrackedViolation;
}

/** Lists the violations of all slots. */
export function knownViolations(state: Pick<ExecutionState, "reviews">): KnownViolation[] {
  return Object.entries(state.reviews).flatMap(([jobId, slots]) =>
    Object.entries(slots).flatMap(([slot, { file, reviewer, violations }]) =>
      violations.map((violation) => ({ jobId, slot, reviewer, file, violation }))
    )
  );
}

const LEAST_ID_CHARS = 4;

/** Finds a violation by its ID, or by a unique prefix of at least four characters. */
export function findViolation(
  known: readonly KnownViolation[],
  id: string
): Result<KnownViolation, string> {
  const named = known.filter(({ violation }) => violation.id === id);
  const found =
    named.length > 0 || id.length < LEAST_ID_CHARS
      ? named
      : known.filter(({ violation }) => violation.id.startsWith(id));
  const [first, ...more] = found;
  if (more.length > 0) return err(`"${visible(id)}" matches several violations; use a longer ID`);
  if (first !== undefined) return ok(first);
  const ids = known.flatMap(({ violation }) => (reviews.isOpen(violation) ? violation.id : []));
  const names = ids.length === 0 ? "none is unresolved" : `unresolved are: ${ids.join(", ")}`;
  return err(`no violation has the ID "${visible(id)}"; ${names}`);
}

/** Sets the status and the reason in the file, and keeps all other edits. Returns the file's path. */
export async function markSkipped(
  files: Files,
  logDir: string,
  { file, violation }: KnownViolation,
  reason: string
): Promise<Result<string, string>> {
  if (file === undefined) return err("its review has no result file; run the gauntlet again");
  const path = posix.join(logDir, file);
  const read = await files.readFile(path, { maxBytes: resultFiles.MAX_RESULT_BYTES });
  if (read.isErr()) return err(`${path}: ${read.error.message}`);
  const json = parseJson(new TextDecoder().decode(read.value));
  const entries: unknown = json.isOk() && isJsonObject(json.value) ? json.value.violations : [];
  const entry = (Array.isArray(entries) ? entries : []).find(
    (candidate: unknown) => isJsonObject(candidate) && candidate.id === violation.id
  ) as Record<string, unknown> | undefined;
  if (entry === undefined)
    return err(`${path} no longer contains it; run the gauntlet, which writes the file again`);
  entry.status = "skipped";
  entry.result = reason;
  const text = `${JSON.stringify(json.unwrapOr({}), null, 2)}\n`;
  const written = await files.writeFile(path, text);
  return written.isOk() ? ok(path) : err(`${path}: ${written.error.message}`);
}
