/** The options of `stop-hook` (G27, G27b, G27c). An invalid one only causes a warning: the stop is still decided. */
import { ANSWERS, type Answer } from "@/cli/gauntlet/hosts/answers";
import { HOST_NAMES, hostNamed } from "@/cli/gauntlet/hosts/index";
import type { AgentHost } from "@/cli/gauntlet/hosts/types";

export interface StopOptions {
  /** Whether to check a stop although the agent already continues because of a stop hook. */
  readonly verify: boolean;
  /** The host of `--host`. */
  readonly host?: AgentHost;
  /** The answer of `--answer`, in place of the host's own. */
  readonly answer?: Answer;
  /** The time that the host gives the whole command, in seconds. */
  readonly limitS: number;
  /** For standard error. */
  readonly warnings: readonly string[];
}

const DEFAULT_LIMIT_S = 300;
/** A day: a timer of more than 24.8 days would fire at once. */
export const MAX_LIMIT_S = 86_400;
/** The length of an argument in a warning. */
const MAX_SHOWN_CHARS = 60;

/** Parses the arguments after `stop-hook` without a library, because every stop loads this. */
export function parseStopOptions(args: readonly string[]): StopOptions {
  const warnings: string[] = [];
  let verify = false;
  let host: AgentHost | undefined;
  let answer: Answer | undefined;
  let limitS = DEFAULT_LIMIT_S;
  const words = args.flatMap((arg) => /^(--\w+)=(.*)$/s.exec(arg)?.slice(1) ?? [arg]).values();
  for (const word of words) {
    if (word === "--verify") verify = true;
    else if (word === "--host") host = readHost(words.next().value, warnings) ?? host;
    else if (word === "--answer") answer = readAnswer(words.next().value, warnings) ?? answer;
    else if (word === "--limit") limitS = readLimit(words.next().value, warnings) ?? limitS;
    else warnings.push(`the argument ${JSON.stringify(word.slice(0, MAX_SHOWN_CHARS))} is ignored`);
  }
  return { verify, host, answer, limitS, warnings };
}

function readHost(name: string | undefined, warnings: string[]): AgentHost | undefined {
  const host = hostNamed(name ?? "");
  if (host === undefined) warnings.push(ignored("--host", hostNames(HOST_NAMES), name));
  return host;
}

function readAnswer(name: string | undefined, warnings: string[]): Answer | undefined {
  if (name !== undefined && Object.hasOwn(ANSWERS, name))
    return ANSWERS[name as keyof typeof ANSWERS];
  warnings.push(ignored("--answer", hostNames(Object.keys(ANSWERS)), name));
  return undefined;
}

function readLimit(text: string | undefined, warnings: string[]): number | undefined {
  const seconds = /^\d{1,5}(?:\.\d{1,3})?$/.test(text ?? "") ? Number(text) : 0;
  if (seconds >= 1 && seconds <= MAX_LIMIT_S) return seconds;
  warnings.push(ignored("--limit", `seconds from 1 to ${MAX_LIMIT_S}`, text));
  return undefined;
}

function ignored(option: string, expected: string, found: string | undefined): string {
  return optionIgnored(option, expected, found?.slice(0, MAX_SHOWN_CHARS));
}

function hostNames(names: readonly string[]): string {
  return `one of ${names.join(", ")}`;
}

/** @param found undefined if the value is missing */
function optionIgnored(option: string, expected: string, found: string | undefined): string {
  const text = found === undefined ? "no value" : JSON.stringify(found);
  return `${option} is ignored: expected ${expected}, found ${text}`;
}
