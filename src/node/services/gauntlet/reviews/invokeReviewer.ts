/** Asks one reviewer, and tells an answer from all that is none (G12, G12a, G13). */
import { randomUUID } from "node:crypto";
import { posix } from "node:path";
import { err, ok, type Result } from "neverthrow";
import { unreachable } from "@/common/errors";
import { MIB } from "@/common/limits";
import { visible } from "@/common/text";
import { lostWith } from "@/node/runtime/connectionErrors";
import type { ExecEnd, HookRuntime } from "@/node/runtime/HookRuntime";
import {
  readAnswer,
  type ReviewAnswer,
} from "@/node/services/gauntlet/reviews/answers/parseAnswer";
import { unwrapError } from "@/node/services/gauntlet/reviews/answers/unwrapCliOutput";
import { reviewerEnvironment } from "@/node/services/gauntlet/reviews/environment";
import { withoutMaterial } from "@/node/services/gauntlet/reviews/prompt";
import type { Reviewer } from "@/node/services/gauntlet/reviews/reviewer";
import {
  classifyFailure,
  lastWords,
  type ReviewerFailure,
} from "@/node/services/gauntlet/reviews/answers/classifyFailure";
import { QUESTION_PREFIX } from "@/node/services/gauntlet/state/runFiles";

export interface ReviewRequest {
  readonly prompt: string;
  readonly model?: string;
  readonly timeoutMs: number;
  /** Absolute, where the workspace lives. */
  readonly cwd: string;
  readonly signal?: AbortSignal;
  /** Absolute: a folder in which a private one can be made for a reviewer that wants a file. */
  readonly scratch: string;
}

/**
 * `rateLimited`, `refused`: another reviewer may answer. `failed`: it ran and gave no answer to go by, or could not be
 * started, or took longer than it may. `lost`: nobody knows what became of it. `raw` is what it printed on standard
 * output, word for word.
 */
export type Reply =
  | { readonly kind: "answer"; readonly answer: ReviewAnswer; readonly raw: string }
  | {
      readonly kind: "rateLimited" | "refused" | "failed" | "lost";
      readonly message: string;
      readonly raw: string;
    }
  | { readonly kind: "cancelled" };

/** What is kept of its output. The text of an answer is some thousands of bytes; streamed events hold the files it read. */
const KEPT_BYTES = 4 * MIB;

/** Never rejects. The reviewer and all that it started is gone when this answers. */
export async function invokeReviewer(
  runtime: HookRuntime,
  reviewer: Reviewer,
  request: ReviewRequest
): Promise<Reply> {
  if (request.signal?.aborted) return { kind: "cancelled" };
  const wanted = reviewer.fileFor?.(request.prompt);
  if (wanted === undefined) return await callReviewer(runtime, reviewer, request, "");
  const folder = posix.join(request.scratch, `${QUESTION_PREFIX}${randomUUID()}`);
  try {
    const file = posix.join(folder, wanted.name);
    const made = await writePrivately(runtime, folder, file, wanted.text);
    if (made.isErr()) return { kind: "failed", message: made.error, raw: "" };
    return await callReviewer(runtime, reviewer, request, file);
  } finally {
    await runtime.remove(folder);
  }
}

/** Who of these is there: their programs are looked for once, together, and not tried (G12a). By name. */
export async function findHealthy(
  runtime: HookRuntime,
  reviewers: readonly Reviewer[],
  cwd: string
): Promise<ReadonlyMap<string, boolean>> {
  const programs = [...new Set(reviewers.flatMap(({ program }) => program ?? []))];
  const found = new Set(programs.length === 0 ? [] : await onPath(runtime, programs, cwd));
  return new Map(
    reviewers.map(({ name, program }) => [name, program === undefined || found.has(program)])
  );
}

async function onPath(
  runtime: HookRuntime,
  programs: readonly string[],
  cwd: string
): Promise<readonly string[]> {
  const script = 'for name; do command -v -- "$name" >/dev/null 2>&1 && echo "$name"; done; true';
  const { end, stdout } = await runtime.exec({
    command: { file: "/bin/sh", args: ["-c", script, "sh", ...programs] },
    cwd,
    ...reviewerEnvironment(),
  });
  return end.kind === "exited" ? stdout.text.split("\n") : [];
}

/** In a folder of its own with mode 0700. */
async function writePrivately(
  runtime: HookRuntime,
  folder: string,
  file: string,
  text: string
): Promise<Result<void, string>> {
  const { end, stderr } = await runtime.exec({
    command: { file: "mkdir", args: ["-p", "-m", "700", "--", folder] },
    cwd: "/",
  });
  if (end.kind !== "exited" || end.code !== 0) {
    return err(`no private folder for its prompt could be made: ${lastWords("", stderr.text)}`);
  }
  const written = await runtime.createFile(file, text, { mode: 0o600 });
  if (written.isErr()) return err(`its prompt could not be written: ${written.error.message}`);
  return ok(undefined);
}

async function callReviewer(
  runtime: HookRuntime,
  reviewer: Reviewer,
  { prompt, model, timeoutMs, cwd, signal }: ReviewRequest,
  file: string
): Promise<Reply> {
  const call = reviewer.call({ prompt, cwd, file, ...(model === undefined ? {} : { model }) });
  const { end, stdout, stderr } = await runtime.exec({
    command: call.command,
    cwd,
    stdin: call.stdin ?? "",
    timeoutMs,
    keepBytes: KEPT_BYTES,
    ...reviewerEnvironment(reviewer.passEnv, call.env),
    ...(signal === undefined ? {} : { signal }),
  });
  if (end.kind === "cancelled") return { kind: "cancelled" };
  const raw = stdout.text;
  const said = withoutMaterial(reviewer.unwrapOutput(raw), prompt);
  const trouble = troubleWith(end, timeoutMs);
  if (lostWith(end) !== undefined) return { kind: "lost", message: trouble, raw };
  const answer = readAnswer(said);
  if (trouble === "" && answer.isOk()) {
    // What was left out of the output may have been a violation.
    if (answer.value.status === "fail" || !stdout.truncated) {
      return { kind: "answer", answer: answer.value, raw };
    }
    return { kind: "failed", message: `It printed ${stdout.bytes} bytes, too many to read`, raw };
  }
  const complaints = withoutMaterial(stderr.text, prompt);
  const failure = answer.isErr() ? failureOf(end, { raw, said, complaints }) : "unknown";
  const what = trouble || `No answer: ${answer.isErr() ? answer.error : ""}`;
  const words = lastWords(said, complaints);
  const message = words === "" ? what : `${what} (${visible(words)})`;
  return { kind: failure === "unknown" ? "failed" : failure, message, raw };
}

/** With exit code 0 only a structured error counts: prose may speak of rate limits (G13). */
function failureOf(
  end: ExecEnd,
  { raw, said, complaints }: { raw: string; said: string; complaints: string }
): ReviewerFailure {
  if (end.kind !== "exited") return "unknown";
  if (end.code !== 0) return classifyFailure(said, complaints);
  const error = unwrapError(raw);
  return error === undefined ? "unknown" : classifyFailure(error, "");
}

/** Whatever it said: one that did not end well may have had more to say. Nothing where it ended well. */
function troubleWith(end: Exclude<ExecEnd, { kind: "cancelled" }>, timeoutMs: number): string {
  switch (end.kind) {
    case "exited":
      return end.code === 0 ? "" : `Exited with code ${end.code}`;
    case "signaled":
      return `Killed by ${end.signal}`;
    case "timedOut":
      return `Timed out after ${timeoutMs / 1000} s`;
    case "lost":
      return `How it ended is not known: ${end.message}`;
    case "notStarted":
      return `Could not be started: ${end.message}`;
    default:
      return unreachable(end);
  }
}
