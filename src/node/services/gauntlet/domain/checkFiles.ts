/** Selects the changed files that concern a check: those of its `files` and its `when` globs (G32). */
import picomatch from "picomatch";
import { normalFolder } from "@/node/services/gauntlet/domain/entryPoint";
import type { GateDefinition, Job } from "@/node/services/gauntlet/domain/gate";
import { parseCommand, usesBase } from "@/node/services/gauntlet/domain/placeholders";

type AnyJob = Pick<Job, "entryPoint" | "gate">;

/** Returns whether a command of the gate gets files. */
export function getsFiles(gate: GateDefinition): boolean {
  return commandsOf(gate).some((command) => parseCommand(command).placeholder !== undefined);
}

/** Returns whether a command of the gate compares with a commit (G33). */
export function getsBase(gate: GateDefinition): boolean {
  return commandsOf(gate).some(usesBase);
}

function commandsOf(gate: GateDefinition): string[] {
  if (gate.kind !== "check") return [];
  return [gate.command, gate.rerunCommand, gate.fix].filter((text) => text !== undefined);
}

/** Returns the files that match the check's `files`, sorted, each once. Without `files`, all of them. */
export function matchingFiles({ entryPoint, gate }: AnyJob, changed: readonly string[]): string[] {
  const globs = gate.kind === "check" ? gate.files : undefined;
  const matches = globs === undefined ? () => true : matcher(globs, entryPoint);
  return [...new Set(changed)].filter((file) => matches(file)).sort();
}

/** Returns whether one of these changes makes a gate due. */
export function isDueFor({ entryPoint, gate }: AnyJob, changed: readonly string[]): boolean {
  const globs = gate.kind === "check" ? gate.when : undefined;
  if (changed.length === 0 || globs === undefined) return changed.length > 0;
  return changed.some(matcher(globs, entryPoint));
}

/** Returns whether a file is one of the `inputs` of a check. */
export function readsFile({ entryPoint, gate }: AnyJob, file: string): boolean {
  const { inputs, workingDirectory = entryPoint } = gate.kind === "check" ? gate : {};
  return inputs === undefined || matcher(inputs, workingDirectory)(file);
}

const SETUP_FILE =
  /^(?:\.gauntlet|\.claude|\.codex|\.gemini|\.qwen|\.copilot|\.opencode|\.mux|\.xum|\.github\/hooks)\//;

/** Returns whether a file has settings of agents or gates, as `init` writes them. No check fails because of it. */
export function isSetupFile(file: string): boolean {
  return SETUP_FILE.test(file);
}

/** Not `.txt`: `requirements.txt` and `CMakeLists.txt` are not texts for people. */
const TEXT_FILE =
  /\.(?:md|markdown|rst|adoc|asciidoc)$|(?:^|\/)(?:README|LICENSE|LICENCE|CHANGELOG|CHANGES|HISTORY|AUTHORS|CONTRIBUTORS|NOTICE|COPYING|CODEOWNERS)(?:\.txt)?$/i;

/** Returns whether a file is a text for people, by its name. */
export function isTextFile(file: string): boolean {
  return TEXT_FILE.test(file);
}

/** Matches globs from the project root or from the entry point, as users write both. A folder includes its files. */
function matcher(globs: readonly string[], folder: string): (file: string) => boolean {
  const all = globs.map(normalFolder).flatMap((glob) => [glob, glob === "." ? "**" : `${glob}/**`]);
  const matches = picomatch(all, { dot: true });
  const prefix = folder === "." ? "" : `${folder}/`;
  return (file) => matches(file) || (file.startsWith(prefix) && matches(file.slice(prefix.length)));
}
