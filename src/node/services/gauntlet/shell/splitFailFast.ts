/**
 * Finds out for `init` and `known record` whether a command ends at its first failure and so hides later ones, as
 * `lint && test` does, and which commands together show all of them (G46). Looks into scripts of package.json,
 * makefiles and `sh -c`. Each of the commands repeats the preparation before it, such as `cd` and a build.
 */
import * as programFacts from "@/node/services/gauntlet/shell/programFacts";
import { parseShellLine, type ShellItem } from "@/node/services/gauntlet/shell/shellLine";

/** A rule of a makefile. */
export interface MakeTarget {
  readonly prerequisites: readonly string[];
  /** Its lines, without the tab. */
  readonly recipe: readonly string[];
}

/** Commands that a project defines by name. */
export interface CommandScripts {
  /** The scripts of package.json. */
  readonly npm: ReadonlyMap<string, string>;
  /** @param name absent: the first target */
  readonly make: (name: string | undefined) => MakeTarget | undefined;
  /** Whether the lines of recipes run differently outside of make, for example without exported variables. */
  readonly needsMake?: boolean;
  /** Returns the command that runs a script of package.json. */
  readonly run: (script: string) => string;
  /** Returns the command that runs a program of an installed package. */
  readonly exec: (line: string) => string;
  /** Whether `tsc` without options writes files. */
  readonly compiles: boolean;
}

export type CommandParts =
  /** One command, as far as is known. */
  | { readonly kind: "single" }
  /** Several commands, which all run, also after a failure. */
  | { readonly kind: "whole" }
  /** `parts` are independent commands that together show everything; empty if the command cannot be split. */
  | { readonly kind: "firstFailure"; readonly parts: readonly string[]; readonly why: string };

const SINGLE: CommandParts = { kind: "single" };
const WHOLE: CommandParts = { kind: "whole" };
const MAX_CHARS = 65_536;
const MAX_DEPTH = 5;
const MAX_PARTS = 20;
const MAX_STEPS = 200;

const cannot = (why: string): CommandParts => ({ kind: "firstFailure", parts: [], why });
const CHAIN = '"&&" ends it at the first failure';
const NOT_READABLE = "it is more than a list of commands";

/** Analyzes the command of a check, which may be any text. */
export function analyzeCommand(command: string, scripts: CommandScripts): CommandParts {
  const parts = new Analysis(scripts).line(command, 0, false);
  return parts.kind === "firstFailure" && parts.parts.length > MAX_PARTS
    ? cannot(parts.why)
    : parts;
}

/** A command of a list, or several that are joined by `||`. */
interface Step {
  readonly text: string;
  /** Absent for several commands joined by `||`. */
  readonly item: ShellItem | undefined;
}

class Analysis {
  #steps = 0;

  constructor(private readonly scripts: CommandScripts) {}

  /**
   * Analyzes a line of commands.
   *
   * @param isScript whether it is a script of package.json, which finds the programs of installed packages
   */
  line(text: string, depth: number, isScript: boolean): CommandParts {
    if (text.length > MAX_CHARS) return cannot(NOT_READABLE);
    if (depth > MAX_DEPTH) return SINGLE;
    const parsed = parseShellLine(text);
    if (parsed === undefined) return cannot(NOT_READABLE);
    const { items, hasBackground } = parsed;
    const first = items.findIndex((item) => !isPrefix(item));
    const prefixes = first === -1 ? items : items.slice(0, first);
    const endsAtFailure = prefixes.some(isSetE);
    const kept = prefixes.filter((item) => !isSetE(item) && !isPipefail(item));
    const rest = [...kept, ...items.slice(prefixes.length)];
    const isList = rest.slice(1).some(({ operator }) => operator === ";");
    const hasOnlyPrefixes = rest
      .slice(0, -1)
      .every((item, i) => isPrefix(item) || rest[i + 1]?.operator === "&&");
    if (hasBackground || (isList && !endsAtFailure && !hasOnlyPrefixes)) {
      this.#steps += rest.length;
      if (this.#steps > MAX_STEPS) return cannot(CHAIN);
      for (const [i, item] of rest.entries()) {
        const before = i === 0 || item.operator !== "&&" ? undefined : rest[i - 1];
        const isFree =
          before === undefined ||
          isPrefix(before) ||
          this.#prepares(before) ||
          GUARD.test(before.text);
        if (!isFree) return cannot(CHAIN);
        const result = this.#item(item, depth, isScript);
        if (result.kind === "firstFailure") return cannot(result.why);
      }
      return WHOLE;
    }
    const why = endsAtFailure ? '"set -e" ends it' : CHAIN;
    // A part alone would have the exit code of the last command of its pipe.
    const needsShell = prefixes.some(isPipefail) && /[^|]\|[^|]/.test(text);
    const steps = toSteps(rest);
    const found = steps === undefined ? cannot(why) : this.#chain(steps, depth, isScript, why);
    return needsShell && found.kind === "firstFailure" ? cannot(found.why) : found;
  }

  #chain(steps: readonly Step[], depth: number, isScript: boolean, why: string): CommandParts {
    this.#steps += steps.length;
    if (this.#steps > MAX_STEPS) return cannot(why);
    const before: string[] = [];
    const found: { readonly parts: readonly string[]; readonly result: CommandParts }[] = [];
    let isSplittable = true;
    for (const [i, step] of steps.entries()) {
      const { item } = step;
      if (item !== undefined && isPrefix(item)) before.push(item.text);
      else if (item !== undefined && i < steps.length - 1 && this.#prepares(item)) {
        const leaf = this.#leaf(step, isScript);
        isSplittable &&= leaf !== undefined;
        before.push(leaf ?? "");
      } else {
        const result = item === undefined ? SINGLE : this.#item(item, depth, isScript);
        const isSplit = result.kind === "firstFailure" && result.parts.length > 0;
        const parts = isSplit ? result.parts : [this.#leaf(step, isScript)];
        isSplittable &&= parts.every((part) => part !== undefined);
        found.push({ result, parts: parts.map((part) => [...before, part ?? ""].join(" && ")) });
      }
    }
    const [first] = found;
    if (first === undefined) return SINGLE;
    const { result, parts } = first;
    if (found.length === 1) {
      if (result.kind !== "firstFailure") return result;
      return result.parts.length > 0 && isSplittable ? { ...result, parts } : cannot(result.why);
    }
    return isSplittable && !steps.some(({ text }) => SERVICE.test(text))
      ? { kind: "firstFailure", parts: found.flatMap((one) => one.parts), why }
      : cannot(why);
  }

  /** Returns the command on its own, or undefined if it needs the environment of a script. */
  #leaf({ text, item }: Step, isScript: boolean): string | undefined {
    if (!isScript) return text;
    if (item === undefined || !item.isSimple) return undefined;
    const { assignments, words } = withoutAssignments(item);
    const program = words[0]?.value;
    if (program === undefined) return undefined;
    if (programFacts.isSystemProgram(program)) return text;
    return `${assignments} ${this.scripts.exec(programFacts.joined(words))}`.trimStart();
  }

  #item(item: ShellItem, depth: number, isScript: boolean): CommandParts {
    if (item.group !== undefined) return this.line(item.group, depth + 1, isScript);
    if (!item.isSimple) return SINGLE;
    const { assignments, words } = withoutAssignments(item);
    if (words[0]?.value === undefined) return SINGLE;
    const result = this.#simple(words, depth, isScript);
    if (assignments === "" || result.kind !== "firstFailure") return result;
    const parts = result.parts.map((part) =>
      /[&|;(]/.test(part) ? `export ${assignments} && ${part}` : `${assignments} ${part}`
    );
    return { ...result, parts };
  }

  #simple(words: ShellItem["words"], depth: number, isScript: boolean): CommandParts {
    const call = programFacts.scriptCall(words, this.scripts.npm);
    if (call?.kind === "packages") {
      const why = "it ends at the first package that fails without --no-bail";
      return call.fixed === undefined ? WHOLE : { kind: "firstFailure", parts: [call.fixed], why };
    }
    if (call?.kind === "script") return this.#script(call.name, call.extra, depth);
    const tool = programFacts.withoutLauncher(words);
    const [program = "", ...args] = programFacts.values(tool);
    if (/^(?:g?make)$/.test(program)) return this.#make(program, args, depth);
    if (/^(?:ba|da|z|)sh$/.test(program)) return this.#shell(args, depth, isScript);
    if (/^(?:npm-run-all2?|run-s|run-p)$/.test(program)) {
      const patterns = tool.slice(1).map(({ raw, value }) => value ?? raw);
      return this.#runAll(program, patterns, depth);
    }
    if (programFacts.isUnknown(words)) return cannot(`${program} may end at its first failure`);
    const fixed = programFacts.withoutEarlyEnd(words);
    if (fixed === undefined) return programFacts.isWhole(words) ? WHOLE : SINGLE;
    const isOwn = isScript && !programFacts.isSystemProgram(words[0]?.value ?? "");
    const part = isOwn ? this.scripts.exec(fixed.command) : fixed.command;
    return { kind: "firstFailure", parts: [part], why: fixed.why };
  }

  /** Analyzes a script of package.json with those that run before and after it. */
  #script(name: string, extra: string, depth: number): CommandParts {
    const main = `${this.scripts.npm.get(name) ?? ""} ${extra}`.trim();
    const { npm } = this.scripts;
    const all = [npm.get(`pre${name}`), main, npm.get(`post${name}`)];
    const texts = all.filter((text) => text !== undefined);
    if (texts.length === 1) return this.line(main, depth + 1, true);
    if (texts.some((text) => parseShellLine(text) === undefined)) return cannot(NOT_READABLE);
    return this.#chain(texts.map(stepOf), depth + 1, true, "its scripts run one after another");
  }

  /** Analyzes `npm-run-all`, whose names may be patterns such as `lint:*`. */
  #runAll(program: string, args: readonly string[], depth: number): CommandParts {
    if (args.some((arg) => /^(?:-c|--continue-on-error)$/.test(arg))) return WHOLE;
    const names = args
      .filter((arg) => !arg.startsWith("-"))
      .flatMap((name) => programFacts.matchingScripts(name, this.scripts.npm.keys()));
    const why = `${program} ends at the first script that fails`;
    const hasArguments = args.some((arg) => arg.includes(" ") || arg.includes("{"));
    if (hasArguments || names.length === 0 || !names.every((name) => this.scripts.npm.has(name)))
      return cannot(why);
    return this.#calls(names.map(this.scripts.run), depth, why);
  }

  /** Analyzes independent commands that run one after another. */
  #calls(texts: readonly string[], depth: number, why: string): CommandParts {
    return this.#chain(texts.map(stepOf), depth + 1, false, why);
  }

  #shell(args: readonly string[], depth: number, isScript: boolean): CommandParts {
    const at = args.findIndex((arg) => /^-[a-z]{0,5}c$/.test(arg));
    const script = args[at + 1] ?? "";
    if (at === -1 || script === "") return SINGLE;
    const options = args.slice(0, at + 1);
    const e = options.some((arg) => /^-[a-z]{0,5}e/.test(arg)) ? "set -e; " : "";
    const pipefail = options.includes("pipefail") ? "set -o pipefail; " : "";
    return this.line(`${e}${pipefail}${script}`, depth + 1, isScript);
  }

  #make(program: string, args: readonly string[], depth: number): CommandParts {
    const names = programFacts.makeTargets(args);
    const keepsGoing = args.some((arg) =>
      /^(?:-[a-zA-Z]{0,5}k[a-zA-Z]{0,5}|--keep-going)$/.test(arg)
    );
    if (args.some((arg) => /^(?:-C|-f|--directory|--file|--makefile)/.test(arg))) return SINGLE;
    const why = "make ends at the first recipe line that fails";
    const others = args.filter((arg) => !names.includes(arg));
    const call = (name: string): string => [program, ...others, name].join(" ");
    const targets = (all: readonly string[]): CommandParts =>
      keepsGoing ? WHOLE : this.#calls(all.map(call), depth, why);
    if (names.length > 1) return targets(names);
    const target = this.scripts.make(names[0]);
    if (target === undefined || depth >= MAX_DEPTH) return SINGLE;
    const own = target.recipe
      .map((line) => line.replace(/^[@+]{1,2}/, "").trim())
      .filter((line) => !NO_COMMAND.test(line) && !line.startsWith("-"));
    const needed = target.prerequisites.filter((name) => {
      const one = this.scripts.make(name);
      return one !== undefined && one.recipe.length + one.prerequisites.length > 0;
    });
    if (needed.length > 0 && own.length === 0) return targets(needed);
    const [line, ...more] = own.map((one) => one.replaceAll("$$", "$"));
    if (line === undefined) return SINGLE;
    const isOfMake =
      own.some((one) => OF_MAKE.test(one)) ||
      this.scripts.needsMake === true ||
      target.prerequisites.some((name) => this.scripts.make(name) === undefined);
    // Behind the preparation there is one command, which hides nothing, and may itself be a chain.
    if (own.length === 1 && needed.every(programFacts.isBuildName)) {
      const inner = this.line(line, depth + 1, false);
      if (inner.kind !== "firstFailure") return inner;
      if (isOfMake) return cannot(inner.why);
      const parts = inner.parts.map((part) => [...needed.map(call), part].join(" && "));
      return { ...inner, parts };
    }
    if (isOfMake || needed.length + own.length > MAX_PARTS) return cannot(why);
    return this.#calls([...needed.map(call), line, ...more], depth, why);
  }

  /** Returns whether later commands need what this one writes, so that it is not a part of its own. */
  #prepares(item: ShellItem): boolean {
    if (!item.isSimple) return false;
    const { words } = withoutAssignments(item);
    const call = programFacts.scriptCall(words, this.scripts.npm);
    if (call?.kind === "script") return programFacts.isBuildName(call.name);
    const [program, ...args] = programFacts.values(words);
    if (program === "make")
      return args.length > 0 && programFacts.makeTargets(args).every(programFacts.isBuildName);
    return programFacts.writesFiles(words, this.scripts.compiles);
  }
}

/** Returns a command, or several as a group, so that an operator of one does not concern others. */
function stepOf(text: string): Step {
  const [item, ...others] = parseShellLine(text)?.items ?? [];
  if (item !== undefined && others.length === 0) return { text, item };
  const whole = { text: `(${text})`, group: text, operator: ";" } as const;
  return { text, item: { ...whole, words: [], isSimple: false } };
}

/** Joins commands with `||` to one step. Returns undefined if `||` follows `&&`, so that no step is separate. */
function toSteps(items: readonly ShellItem[]): readonly Step[] | undefined {
  const steps: Step[] = [];
  let hasAnd = false;
  for (const [i, item] of items.entries()) {
    if (item.operator === "||" && i > 0) {
      if (hasAnd) return undefined;
      const last = steps.pop();
      steps.push({ text: `${last?.text ?? ""} || ${item.text}`, item: undefined });
    } else {
      hasAnd = item.operator === "&&" && i > 0;
      steps.push({ text: item.text, item });
    }
  }
  return steps;
}

/** Returns whether a command concerns those after it, as `cd x`, `export A=1`, `A=1` and `. file` do. */
function isPrefix({ words, isSimple }: ShellItem): boolean {
  const first = words[0]?.raw ?? "";
  const isAssignment = words.every(({ raw }) => ASSIGNMENT.test(raw));
  return (
    isSimple &&
    (isAssignment || /^(?:cd|export|\.|source|set|unset|umask|ulimit|pushd|shopt)$/.test(first))
  );
}

/** Matches a command that starts or stops what the commands after or before it need. */
const SERVICE =
  /^(?:docker|podman)(?:[ -]compose)?\b.* (?:up|down|start|stop|rm|kill)\b|^(?:p?kill|killall) |^g?make .*\b(?:up|down|start|stop)$/;

/** Matches a command that only decides about the next one, or prepares it: `[ -f x ] && a`. */
const GUARD = /^(?:\[|test|command|echo|printf|sleep|wait-on) /;

/** Matches a line of a recipe with a variable of make, not `$$`, or that continues in the next one. */
const OF_MAKE = /(?<!\$)(?:\$\$)*\$(?!\$)|\\$/;

/** Matches a line of a recipe that is a comment, or that only prints a text. */
const NO_COMMAND = /^$|^#|^\$\((?:info|warning) |^(?:echo|printf) (?:[^&|;'"]|'[^']*'|"[^"]*")*$/;

const isSetE = (item: ShellItem): boolean => sets(item, /^(?:errexit|-[a-z]{0,5}e[a-z]{0,5})$/);
const isPipefail = (item: ShellItem): boolean => sets(item, /^pipefail$/);

function sets({ words, isSimple }: ShellItem, option: RegExp): boolean {
  const [first, ...args] = programFacts.values(words);
  return isSimple && first === "set" && args.some((arg) => option.test(arg));
}

const ASSIGNMENT = /^[A-Za-z_]\w*=/;

/** Separates `A=1` and `env A=1` from the command. */
function withoutAssignments({ words }: ShellItem) {
  const start = words[0]?.raw === "env" ? 1 : 0;
  let at = start;
  while (ASSIGNMENT.test(words[at]?.raw ?? "")) at++;
  if (at === start) return { assignments: "", words };
  return { assignments: programFacts.joined(words.slice(start, at)), words: words.slice(at) };
}
