/**
 * Builds the text for the user about a stop, with the agent's last message after the retry limit (G38). Records which
 * facts it shows, so that each is shown once per session, and why gates gave no verdict once per turn (G25a).
 */
import { posix } from "node:path";
import { clip, visible } from "@/common/safeText";
import { isSilent, personMessage, type News } from "@/node/services/gauntlet/domain/stopAudience";
import { MAX_UNCHANGED_STOPS } from "@/node/services/gauntlet/domain/episode";
import { type GateResult, isFailure } from "@/node/services/gauntlet/domain/gate";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { unstableFiles, ENDED_BEFORE } from "@/node/services/gauntlet/messages/shared";
import type { StopClaim } from "@/node/services/gauntlet/hook/StopClaim";
import type { DecisionRequest } from "@/node/services/gauntlet/hook/stopDecision";
import { createResult } from "@/node/services/gauntlet/run/createResult";
import type { StopHistory } from "@/node/services/gauntlet/turn/StopHistory";

interface ShownStop {
  readonly result: RunResult;
  /** Whether the result is of a run, which knows all facts that apply. */
  readonly isChecked?: boolean;
  /** Whether the user is shown the outcome once per session, because a variable caused it (G24a). */
  readonly isOnce?: boolean;
  readonly claim?: Pick<StopClaim, "wasEnded">;
  /** Lasting facts besides those of the result. */
  readonly facts: readonly string[];
  readonly weakened: Iterable<string>;
}

/** Returns the text for the user. */
export async function forPerson(
  { result, isChecked = false, isOnce = false, claim, ...shown }: ShownStop,
  {
    lastMessage = "",
    withBlock,
    signal,
  }: Pick<DecisionRequest, "lastMessage" | "withBlock" | "signal">,
  openSession: () => Promise<StopHistory>
): Promise<string | undefined> {
  const facts = [...(isOnce ? [result.message] : []), ...shown.facts, ...result.warnings];
  const news: News = {
    earlier: claim?.wasEnded === true ? [ENDED_BEFORE] : [],
    lastMessage: lastMessageLines(result, lastMessage),
    weakened: new Set([...shown.weakened, ...(result.weakened ?? [])]),
    withBlock,
  };
  // An interrupted stop shows nothing, so a later one shows these facts.
  const showsNone = isSilent(result) || signal?.aborted === true;
  if (showsNone || (!isChecked && facts.length === 0)) return personMessage(result, news);
  const session = await openSession();
  const found = await session.newFacts(facts, isChecked);
  const isOld =
    (isOnce && !found.includes(result.message)) ||
    (isChecked && (await isCauseShown(result, session)));
  const named = isChecked ? await unstableNames(result, session) : [];
  const fresh = [...found.filter((fact) => !isOnce || fact !== result.message), ...named];
  return personMessage(isOld ? createResult("passed") : result, { ...news, facts: fresh });
}

/** Returns whether this turn has shown the user why these gates gave no verdict (G27c, G33). */
async function isCauseShown({ status, gates }: RunResult, session: StopHistory): Promise<boolean> {
  const causes = gates.flatMap(({ jobId, overLimit, isUnseen, message = "" }) =>
    overLimit === true ? jobId : isUnseen === true ? `${jobId} ${message}` : []
  );
  // Another cause is shown at each stop.
  const isOther = ({ unreachable, overLimit, isUnseen }: GateResult): boolean =>
    unreachable === true && !overLimit && !isUnseen;
  if (status !== "infrastructure_error" || causes.length === 0 || gates.some(isOther)) return false;
  return !(await session.mayNameCauses(causes));
}

/** Returns the agent's last message, in which it may explain why it cannot go on (G38). */
function lastMessageLines(result: RunResult, lastMessage: string): readonly string[] {
  const text = clip(visible(lastMessage.trim().replaceAll(/\s+/g, " ")), 500);
  const { status, unchangedStops = 0 } = result;
  if (status !== "retry_limit_exceeded" || text === "") return [];
  const isUnexplained = unchangedStops >= MAX_UNCHANGED_STOPS && !namesFailure(lastMessage, result);
  const last = `the agent's last message: ${text}`;
  return [isUnexplained ? `the agent stopped without an explanation; ${last}` : last];
}

/** Returns whether a text names a failed gate, or a file, rule, test or message of its findings (G38). */
function namesFailure(text: string, { gates }: RunResult): boolean {
  const words = new Set(
    text
      .toLowerCase()
      .split(/[^\p{L}\p{N}_.:/@-]+/u)
      .map((word) => word.replace(/[.:]+$/, ""))
  );
  return gates.filter(isFailure).some(({ gate, jobId, findings = [] }) => {
    if (words.has(gate.toLowerCase()) || text.includes(jobId)) return true;
    const named = findings.flatMap(({ file, rule, test, message }) =>
      [file, file && posix.basename(file), rule, test, message].filter((part) => part !== undefined)
    );
    return named.some((part) => part !== "" && text.includes(part));
  });
}

/** Names the files once per session, because a check that writes files would repeat them at each stop (G20c). */
async function unstableNames(
  { unstable = [] }: RunResult,
  session: StopHistory
): Promise<readonly string[]> {
  if (unstable.length === 0 || session.record.hasNamedUnstable) return [];
  await session.update({ hasNamedUnstable: true });
  return [unstableFiles(unstable)];
}
