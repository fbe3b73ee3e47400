/**
 * Calls the reviewers of a slot (one of the reviews of a gate) one after another, until one of them answers. Asks again
 * once if an answer cannot be read, writes a log of each call, starts the cooldown of a reviewer that gave no answer,
 * and warns with advice for the user (G12, G13).
 */
import { posix } from "node:path";
import { shownCommand } from "@/common/ownCommandName";
import { plainText, visible } from "@/common/safeText";
import type { SlotResult } from "@/node/services/gauntlet/domain/gate";
import type {
  TrackedViolation,
  ReviewDiff,
} from "@/node/services/gauntlet/domain/reviewViolations";
import type { ReviewAnswer } from "@/node/services/gauntlet/reviews/answers/parseAnswer";
import { invokeReviewer, type Reply } from "@/node/services/gauntlet/reviews/invokeReviewer";
import { buildPrompt } from "@/node/services/gauntlet/reviews/buildPrompt";
import type { Reviewer } from "@/node/services/gauntlet/reviews/reviewers";
import type { ReviewContext, ReviewJob } from "@/node/services/gauntlet/reviews/ReviewerPool";
import { reviewFileName } from "@/node/services/gauntlet/state/runFiles";
import { AGAIN } from "@/node/services/gauntlet/messages/reviewPromptTexts";
import { CANCELLED } from "@/node/services/gauntlet/messages/shared";

/** The facts about the call of one reviewer. */
type ReviewerAttempt = Pick<SlotResult, "durationMs"> & {
  readonly reviewer: string;
  /** The reviewer's standard output, verbatim. */
  readonly raw: string;
  readonly warnings: readonly string[];
  readonly logPath?: string;
};

/** The end of the last attempt. `unreachable`: no reviewer gave an answer, and an agent cannot fix that. */
export type SlotReply = ReviewerAttempt &
  (
    | { readonly kind: "answer"; readonly answer: ReviewAnswer }
    | { readonly kind: "unreachable" | "cancelled"; readonly message: string }
  );

/** Calls the reviewers in turn until one of them answers. Calls one whose answer cannot be read once again. */
export async function tryReviewers(
  job: ReviewJob,
  slot: number,
  diff: ReviewDiff,
  toVerify: readonly TrackedViolation[],
  context: ReviewContext
): Promise<SlotReply> {
  const { runtime, projectDir, logDir, pool, signal, now } = context;
  const start = now().getTime();
  const candidates = await pool.candidates(job.gate, slot);
  const { prompt } = job.gate;
  const text = buildPrompt({ instructions: prompt, diff, verify: toVerify });
  const call = async (reviewer: Reviewer, question: string) => {
    const reply = await invokeReviewer(runtime, reviewer, {
      prompt: question,
      timeoutMs: job.gate.timeoutS * 1000,
      cwd: projectDir,
      scratch: logDir,
      model: job.gate.model,
      signal,
      onCalled: (tokens) => {
        context.noteCall(reviewer.name, tokens);
      },
    });
    return { reply, logPath: await writeLog(job, slot, reviewer, reply, { diff, context }) };
  };
  const failures: string[] = [];
  let last: ReviewerAttempt = { reviewer: "none", raw: "", warnings: [], durationMs: 0 };
  const notReviewed = (why: string): void => {
    context.reporter.warn(`${visible(job.id)} was not reviewed by ${why}`);
  };
  for (const reviewer of candidates) {
    const { name } = reviewer;
    const begun = now().getTime();
    context.emit({ type: "slot-start", job, slot: { slot, reviewer: name } });
    let { reply, logPath } = await call(reviewer, text);
    if (reply.kind === "invalid")
      ({ reply, logPath } = await call(reviewer, `${text}\n${AGAIN}\n`));
    const attempt = {
      reviewer: name,
      raw: reply.kind === "cancelled" ? "" : reply.raw,
      warnings: reply.kind === "answer" ? reply.answer.warnings : [],
      durationMs: now().getTime() - start,
      logPath,
    };
    if (reply.kind === "answer") return { ...attempt, kind: "answer", answer: reply.answer };
    if (reply.kind === "cancelled") {
      const { signal: person, limitMs = Infinity } = context.options;
      // One that began late in the run has not shown that it is slow.
      if (person?.aborted !== true && now().getTime() - begun >= limitMs / 4) {
        pool.startCooldown(reviewer);
        notReviewed(`${visible(name)}: it did not answer within the time limit of the run`);
      }
      return { ...attempt, kind: "cancelled", message: CANCELLED };
    }
    const { kind, message } = reply;
    last = attempt;
    const advice = ADVICE[kind]?.(reviewer.program ?? name);
    failures.push(`${visible(name)}: ${message}${advice === undefined ? "" : `; ${advice}`}`);
    if (kind === "lost") break;
    // A reviewer that timed out or cannot answer would cost time at each stop, unlike one with an unreadable answer.
    if (kind !== "invalid") pool.startCooldown(reviewer);
    notReviewed(failures.at(-1) ?? "");
  }
  const hint = runtime.isRemote
    ? `; commands on ${runtime.label} do not read ~/.profile, so set a longer PATH in ~/.zshenv, or at the top of ~/.bashrc`
    : "";
  const none = `no healthy adapters: none of the configured reviewers is on the PATH; install one of them, or configure one that "${shownCommand()} health" finds${hint}`;
  return { ...last, kind: "unreachable", message: failures.join("; ") || none };
}

/** The advice for the user, by the kind of failure. */
const ADVICE: Partial<Record<string, (program: string) => string>> = {
  loggedOut: (program) => `run "${program}" in a terminal and log in`,
  rateLimited: () => "wait for its limit to reset, or configure another reviewer",
  offline: () => "check the network connection",
};

/** Logs the files that were shown and the output, for a user who investigates. Returns the path of the log. */
async function writeLog(
  job: ReviewJob,
  slot: number,
  { name }: Reviewer,
  reply: Reply,
  { diff, context }: { readonly diff: ReviewDiff; readonly context: ReviewContext }
): Promise<string> {
  const { runtime, logDir, run, now } = context;
  const path = posix.join(logDir, reviewFileName(job, { reviewer: name, slot }, run, "log"));
  const lines = [
    `[${now().toISOString()}] ${job.id} (${name}@${slot})`,
    ...diff.files.map((file) => `Shown to the reviewer (${file.shown}): ${visible(file.path)}`),
    ...diff.notes,
    `Outcome: ${reply.kind}${"message" in reply ? `: ${reply.message}` : ""}`,
    "",
    reply.kind === "cancelled" ? "" : plainText(reply.raw),
    "",
  ];
  // A failure to write is ignored: the verdict is in the JSON and does not depend on this log.
  await runtime.appendFile(path, lines.join("\n"));
  return path;
}
