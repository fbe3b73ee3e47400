/** Records what the user is shown of a stop, so that unchanged facts are shown once per session (G25a). */
import { posix } from "node:path";
import { clip, visible } from "@/common/text";
import { isSilent, personMessage, type News } from "@/node/services/gauntlet/domain/audience";
import { MAX_UNCHANGED_STOPS } from "@/node/services/gauntlet/domain/episode";
import { isFailure } from "@/node/services/gauntlet/domain/gate";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { unstableFiles } from "@/node/services/gauntlet/messages/run";
import { ENDED_BEFORE } from "@/node/services/gauntlet/messages/stop";
import { isCauseTold } from "@/node/services/gauntlet/hook/countStop";
import { createResult } from "@/node/services/gauntlet/run/createResult";
import type { StopSession } from "@/node/services/gauntlet/turn/StopSession";

export interface ShownStop {
  readonly result: RunResult;
  /** Whether the result is of a run, which knows all facts that apply. */
  readonly isChecked: boolean;
  /** Whether the user is shown the outcome once per session, because a variable caused it (G24a). */
  readonly isOnce?: boolean;
  /** Lasting facts besides those of the result. */
  readonly facts: readonly string[];
  readonly weakened: Iterable<string>;
  /** Whether the process of the last stop was ended (G40). */
  readonly wasEnded: boolean;
  readonly lastMessage?: string | undefined;
  readonly showsBlock?: boolean | undefined;
}

/** Returns the text for the user. */
export async function forPerson(
  { result, isChecked, isOnce = false, facts: given, ...stop }: ShownStop,
  openSession: () => Promise<StopSession>
): Promise<string | undefined> {
  const facts = [...(isOnce ? [result.message] : []), ...given, ...result.warnings];
  const news: News = {
    earlier: stop.wasEnded ? [ENDED_BEFORE] : [],
    said: lastWords(result, stop.lastMessage ?? ""),
    weakened: new Set([...stop.weakened, ...(result.weakened ?? [])]),
    withBlock: stop.showsBlock === true,
  };
  if (isSilent(result) || (!isChecked && facts.length === 0)) return personMessage(result, news);
  const session = await openSession();
  const found = await session.newFacts(facts, isChecked);
  const isOld =
    (isOnce && !found.includes(result.message)) ||
    (isChecked && (await isCauseTold(result, session)));
  const named = isChecked ? await unstableNames(result, session) : [];
  const fresh = [...found.filter((fact) => !isOnce || fact !== result.message), ...named];
  return personMessage(isOld ? createResult("passed") : result, { ...news, facts: fresh });
}

/** Of the agent's last message, at the retry limit. */
const MAX_LAST_WORDS_CHARS = 500;

/** Returns what the agent said last, in which it may explain why it cannot go on (G38). */
function lastWords(result: RunResult, lastMessage: string): readonly string[] {
  const text = clip(visible(lastMessage.trim().replaceAll(/\s+/g, " ")), MAX_LAST_WORDS_CHARS);
  if (result.status !== "retry_limit_exceeded" || text === "") return [];
  const { unchangedStops = 0 } = result;
  const isSilent = unchangedStops >= MAX_UNCHANGED_STOPS && !namesFailure(lastMessage, result);
  return [
    isSilent ? `the agent stopped without an explanation; ${agentSaid(text)}` : agentSaid(text),
  ];
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
  session: StopSession
): Promise<readonly string[]> {
  if (unstable.length === 0 || session.record.hasNamedUnstable) return [];
  await session.update({ hasNamedUnstable: true });
  return [unstableFiles(unstable)];
}

/** Appears at the retry limit. */
function agentSaid(text: string): string {
  return `the agent's last message: ${text}`;
}
