/** Parses the options of `stop-hook` (G27, G27b, G27c). An invalid one only causes a warning: the stop is decided. */
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
  /** About options that were ignored, for standard error. */
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
  const words = args.flatMap((arg) => /^(--(?!verify=)\w+)=(.*)$/s.exec(arg)?.slice(1) ?? [arg]);
  /** Reads the value of an option. */
  const next = <T>(option: string, expected: string, read: (text: string) => T | undefined) => {
    const text = words[0]?.startsWith("--") === true ? undefined : words.shift();
    const value = text === undefined ? undefined : read(text);
    const found = text === undefined ? "no value" : JSON.stringify(text.slice(0, MAX_SHOWN_CHARS));
    if (value === undefined) {
      warnings.push(`${option} is ignored: expected ${expected}, found ${found}`);
    }
    return value;
  };
  let verify = false;
  let host: AgentHost | undefined;
  let answer: Answer | undefined;
  let limitS = DEFAULT_LIMIT_S;
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (/^--verify(?:=true)?$/.test(word)) verify = true;
    else if (word === "--host") {
      host = next(word, `one of ${HOST_NAMES.join(", ")}`, hostNamed) ?? host;
    } else if (word === "--answer") {
      const answers: Readonly<Record<string, Answer>> = ANSWERS;
      const names = Object.keys(answers);
      const answerNamed = (name: string) => (names.includes(name) ? answers[name] : undefined);
      answer = next(word, `one of ${names.join(", ")}`, answerNamed) ?? answer;
    } else if (word === "--limit") {
      limitS = next(word, `seconds from 1 to ${MAX_LIMIT_S}`, secondsIn) ?? limitS;
    } else {
      warnings.push(`the argument ${JSON.stringify(word.slice(0, MAX_SHOWN_CHARS))} is ignored`);
    }
  }
  return { verify, host, answer, limitS, warnings };
}

function secondsIn(text: string): number | undefined {
  const seconds = /^\d{1,5}(?:\.\d{1,3})?$/.test(text) ? Number(text) : 0;
  return seconds >= 1 && seconds <= MAX_LIMIT_S ? seconds : undefined;
}
