/** Marks a violation as skipped, with the same effect as an edit of its JSON file (G30b). */
import { posix } from "node:path";
import { err, ok, type Result } from "neverthrow";
import { isJsonObject, parseJson } from "@/common/json";
import { visible } from "@/common/text";
import type { Files } from "@/node/runtime/HookRuntime";
import { isOpen, type TrackedViolation } from "@/node/services/gauntlet/domain/review";
import { MAX_RESULT_BYTES } from "@/node/services/gauntlet/reviews/violations/resultFile";
import type { ExecutionState } from "@/node/services/gauntlet/state/executionState";

export interface KnownViolation {
  readonly jobId: string;
  readonly slot: string;
  readonly reviewer: string;
  /** Name of its slot's JSON file in the log folder. */
  readonly file: string | undefined;
  readonly violation: TrackedViolation;
}

export function knownViolations({ reviews }: Pick<ExecutionState, "reviews">): KnownViolation[] {
  return Object.entries(reviews).flatMap(([jobId, slots]) =>
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
  if (first !== undefined && more.length === 0) return ok(first);
  if (first !== undefined)
    return err(`"${visible(id)}" matches several violations; use a longer ID`);
  const ids = known.flatMap(({ violation }) => (isOpen(violation) ? violation.id : []));
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
  const read = await files.readFile(path, { maxBytes: MAX_RESULT_BYTES });
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
