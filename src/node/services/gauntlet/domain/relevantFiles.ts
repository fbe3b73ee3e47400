/**
 * Selects the files that concern a check by its lists of globs (`files`, `when`, `inputs`). Also tells whether its
 * commands get paths of files or a base commit, or read the commits of the branch (G32, G33), and recognizes texts for
 * people and settings of agents by their names.
 */
import { globMatcher, type GlobField } from "@/node/services/gauntlet/domain/globs/matchers";
import type { GateDefinition, Job } from "@/node/services/gauntlet/domain/gate";
import { parseCommand, usesBase } from "@/node/services/gauntlet/domain/commands/findPlaceholders";

type AnyJob = Pick<Job, "entryPoint" | "gate">;

/** Returns whether a command of the gate gets files. */
export function getsFiles(gate: GateDefinition): boolean {
  return commandsOf(gate).some((command) => parseCommand(command).placeholder !== undefined);
}

/** Returns whether a command of the gate compares with a commit (G33). */
export function getsBase(gate: GateDefinition): boolean {
  return commandsOf(gate).some(usesBase);
}

/** Returns whether the result of the gate depends on the commits of the branch. */
export function readsHistory(gate: GateDefinition): boolean {
  return gate.kind === "check" && gate.reads === "history";
}

function commandsOf(gate: GateDefinition): string[] {
  if (gate.kind !== "check") return [];
  return [gate.command, gate.rerunCommand, gate.fix].filter((text) => text !== undefined);
}

/** Returns the files that match the check's `files`, sorted, each once. Without `files`, all of them. */
export function matchingFiles(job: AnyJob, changed: readonly string[]): string[] {
  const matches = matcherOf(job, "files") ?? (() => true);
  return [...new Set(changed)].filter((file) => matches(file)).sort();
}

/** Returns whether one of these changes makes a gate due. */
export function isDueFor(job: AnyJob, changed: readonly string[]): boolean {
  if (changed.length === 0) return false;
  const matches = matcherOf(job, "when");
  return matches === undefined || changed.some(matches);
}

/** Returns whether a file is one of the `inputs` of a check. */
export function readsFile(job: AnyJob, file: string): boolean {
  return matcherOf(job, "inputs")?.(file) ?? true;
}

/** Returns the predicate of one list of globs, or undefined if the check has none. */
export function matcherOf(
  { entryPoint, gate }: AnyJob,
  field: Extract<GlobField, "files" | "when" | "inputs">
): ((file: string) => boolean) | undefined {
  if (gate.kind !== "check") return undefined;
  const { [field]: globs, readsOld, workingDirectory = entryPoint } = gate;
  const folder = field === "inputs" ? workingDirectory : entryPoint;
  return globs && globMatcher({ field, globs, folder, readsOld });
}

const SETUP_FILE =
  /^\.(?:gauntlet|claude|codex|gemini|qwen|copilot|cursor|factory|kimi-code|kiro|opencode|kilo|mux|xum|github\/hooks|agents\/plugins)\//;

/** Returns whether a file has settings of agents or gates, as `init` writes them. No check fails because of it. */
export function isSetupFile(file: string): boolean {
  return SETUP_FILE.test(file);
}

/** Does not match `.txt`, because `requirements.txt` and `CMakeLists.txt` are not texts for people. */
const TEXT_FILE =
  /\.(?:md|markdown|rst|adoc|asciidoc)$|(?:^|\/)(?:README|LICENSE|LICENCE|CHANGELOG|CHANGES|HISTORY|AUTHORS|CONTRIBUTORS|NOTICE|COPYING|CODEOWNERS)(?:\.txt)?$/i;

/** Returns whether a file is a text for people, by its name. */
export function isTextFile(file: string): boolean {
  return TEXT_FILE.test(file);
}
