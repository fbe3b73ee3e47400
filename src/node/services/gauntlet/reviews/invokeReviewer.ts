/**
 * Runs one reviewer with a time limit and only the environment variables that it needs, and distinguishes answers from
 * the kinds of failures (G12, G13). Also finds out which reviewers are available, without running them (G12a).
 */
import { randomUUID } from "node:crypto";
import { posix } from "node:path";
import { err, ok, type Result } from "neverthrow";
import { RECURSION_MARKER } from "@/node/services/gauntlet/domain/recursionMarker";
import { unreachable } from "@/common/errors";
import { MIB } from "@/common/limits";
import { visible } from "@/common/safeText";
import { lostWith } from "@/node/runtime/lostConnection";
import type { ExecEnd, HookRuntime, ExecRequest } from "@/node/runtime/HookRuntime";
import {
  readAnswer,
  type ReviewAnswer,
} from "@/node/services/gauntlet/reviews/answers/parseAnswer";
import * as cliOutput from "@/node/services/gauntlet/reviews/answers/cliOutput";
import { nonceIn, withoutMaterial } from "@/node/services/gauntlet/reviews/buildPrompt";
import type { Reviewer, ReviewerRequest } from "@/node/services/gauntlet/reviews/reviewers";
import { TEMPORARY_FOLDER_PREFIX } from "@/node/services/gauntlet/state/runFiles";
import * as messages from "@/node/services/gauntlet/messages/shared";

/** The variables that every reviewer gets, if they are set, in addition to those of proxies. */
const COMMON = ["HOME", "PATH", "USER", "SHELL", "TERM", "TMPDIR", "LANG", "LC_*", "XDG_*"];

const PROXIES = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"];

export interface ReviewRequest extends Pick<ReviewerRequest, "prompt" | "model" | "cwd"> {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Absolute: the parent of the private folder for a reviewer that needs a file. */
  readonly scratch: string;
  /** Called when a call that was started has ended, with the tokens that it reports, or 0. */
  readonly onCalled?: (tokens: number) => void;
}

/**
 * The outcome of a call. `invalid`: it ended normally, but without an answer that can be read. `failed`: it failed
 * otherwise, could not be started, or timed out. `lost`: its end is unknown. `raw` is its standard output, verbatim.
 */
export type Reply =
  | { readonly kind: "answer"; readonly answer: ReviewAnswer; readonly raw: string }
  | {
      readonly kind: Exclude<cliOutput.ReviewerFailure, "unknown"> | "invalid" | "failed" | "lost";
      readonly message: string;
      readonly raw: string;
    }
  | { readonly kind: "cancelled" };

/** The limit for kept output. An answer has a few thousand bytes; streamed events include the files that were read. */
const KEPT_BYTES = 4 * MIB;

/**
 * Runs a reviewer. Never rejects. When it resolves, the reviewer has ended, unless its connection was lost. At the time
 * limit and on abort, its whole process tree is ended.
 */
export async function invokeReviewer(
  runtime: HookRuntime,
  reviewer: Reviewer,
  request: ReviewRequest
): Promise<Reply> {
  if (request.signal?.aborted) return { kind: "cancelled" };
  const wanted = reviewer.fileFor?.(request.prompt);
  if (wanted === undefined) return await callReviewer(runtime, reviewer, request, "");
  const folder = posix.join(request.scratch, `${TEMPORARY_FOLDER_PREFIX}${randomUUID()}`);
  try {
    const file = posix.join(folder, wanted.name);
    const made = await writePrivately(runtime, folder, file, wanted.text);
    if (made.isErr()) return { kind: "failed", message: made.error, raw: "" };
    return await callReviewer(runtime, reviewer, request, file);
  } finally {
    await runtime.remove(folder);
  }
}

/** Returns which reviewers are available, by name. Looks up all programs together, and does not run them (G12a). */
export async function findHealthy(
  runtime: HookRuntime,
  reviewers: readonly Reviewer[],
  cwd: string
): Promise<ReadonlyMap<string, boolean>> {
  const programs = [...new Set(reviewers.flatMap(({ program }) => program ?? []))];
  const found = new Set<string>();
  if (programs.length > 0) {
    const script = 'for name; do command -v -- "$name" >/dev/null 2>&1 && echo "$name"; done; true';
    const command = { file: "/bin/sh", args: ["-c", script, "sh", ...programs] };
    const { end, stdout } = await runtime.exec({ command, cwd, ...reviewerEnvironment() });
    if (end.kind === "exited") for (const name of stdout.text.split("\n")) found.add(name);
  }
  return new Map(
    reviewers.map(({ name, program }) => [name, program === undefined || found.has(program)])
  );
}

/** Writes a file in a new folder with mode 0700. */
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
    const why = "message" in end ? end.message : cliOutput.lastWords("", stderr.text);
    return err(`Could not create a private folder for the prompt: ${why}`);
  }
  const written = await runtime.createFile(file, text, { mode: 0o600 });
  return written.mapErr(({ message }) => `Could not write the prompt: ${message}`);
}

async function callReviewer(
  runtime: HookRuntime,
  reviewer: Reviewer,
  { prompt, model, timeoutMs, cwd, signal, onCalled }: ReviewRequest,
  file: string
): Promise<Reply> {
  const call = reviewer.call({ prompt, cwd, file, model });
  const { end, stdout, stderr } = await runtime.exec({
    command: call.command,
    cwd,
    stdin: call.stdin ?? "",
    timeoutMs,
    keepBytes: KEPT_BYTES,
    ...reviewerEnvironment(reviewer.passEnv, call.env),
    signal,
  });
  if (end.kind !== "notStarted") onCalled?.(cliOutput.usedTokens(stdout.text, stderr.text));
  if (end.kind === "cancelled") return { kind: "cancelled" };
  const raw = stdout.text;
  const answerText = withoutMaterial(reviewer.unwrapOutput(raw), prompt);
  const trouble = troubleWith(end, timeoutMs);
  if (lostWith(end) !== undefined) return { kind: "lost", message: trouble, raw };
  const answer = readAnswer(answerText, { nonce: nonceIn(prompt), prompt }).andThen((read) =>
    read.status === "pass" && cliOutput.endsInError(raw)
      ? err("the output ends with an error")
      : ok(read)
  );
  if (trouble === "" && answer.isOk()) {
    // The truncated part of the output may have contained a violation.
    if (answer.value.status === "fail" || !stdout.truncated) {
      return { kind: "answer", answer: answer.value, raw };
    }
    const message = `Printed ${stdout.bytes} bytes, more than the limit of ${KEPT_BYTES / MIB} MiB`;
    return { kind: "failed", message, raw };
  }
  const ownStderr = withoutMaterial(stderr.text, prompt);
  // With exit code 0 only a structured error counts: prose may mention rate limits (G13).
  const error = withoutMaterial(cliOutput.unwrapError(raw) ?? "", prompt);
  const isFailed = end.kind === "exited" && end.code !== 0;
  const isClassified = answer.isErr() && end.kind === "exited" && (isFailed || error !== "");
  const output = isFailed ? ([answerText, ownStderr] as const) : ([error, ""] as const);
  const failure = isClassified ? cliOutput.classifyFailure(...output) : "unknown";
  const what = trouble || `No answer: ${answer.isErr() ? answer.error : ""}`;
  const words = cliOutput.lastWords(answerText, ownStderr);
  const message = words === "" ? what : `${what} (${visible(words)})`;
  const other = trouble === "" ? "invalid" : "failed";
  return { kind: failure === "unknown" ? other : failure, message, raw };
}

/** Describes an abnormal end, after which the output may be incomplete. Returns "" after a normal end. */
function troubleWith(end: Exclude<ExecEnd, { kind: "cancelled" }>, timeoutMs: number): string {
  switch (end.kind) {
    case "exited":
      return end.code === 0 ? "" : messages.exitedWith(end.code);
    case "signaled":
      return messages.killedBy(end.signal);
    case "timedOut":
      return messages.timedOut(timeoutMs / 1000);
    case "lost":
      return messages.outcomeUnknown(end.message);
    case "notStarted":
      return messages.notStarted(end.message);
    default:
      return unreachable(end);
  }
}

/**
 * Builds the environment of a reviewer, which has only named variables.
 *
 * @param own the variables of this reviewer, in addition to the common ones
 */
function reviewerEnvironment(
  own: readonly string[] = [],
  more: Readonly<Record<string, string>> = {}
): Required<Pick<ExecRequest, "env" | "unsetEnv" | "passEnv">> {
  const proxies = PROXIES.flatMap((name) => [name, name.toLowerCase()]);
  return {
    unsetEnv: ["*"],
    passEnv: [...COMMON, ...proxies, ...own],
    env: { ...more, [RECURSION_MARKER]: String(process.pid) },
  };
}
