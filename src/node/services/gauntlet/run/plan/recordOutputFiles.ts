/**
 * Records the files that checks write (outputs), which snapshots leave out. Warns of outputs that git does not ignore,
 * and finds gates that do not run because git tracks files of their reports (G20c).
 */
import { clip, firstNames, visible } from "@/common/safeText";
import { runGit } from "@/node/services/gauntlet/change/git/runGit";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import type { RejectedOutput } from "@/node/services/gauntlet/change/snapshot/takeSnapshot";
import type { GauntletConfig } from "@/node/services/gauntlet/config/loadConfig";
import * as declared from "@/node/services/gauntlet/domain/outputRules";
import type { GateDefinition, Job } from "@/node/services/gauntlet/domain/gate";
import { definitionOf } from "@/node/services/gauntlet/domain/candidateJobs";
import type { ExecutionState, FoundReport } from "@/node/services/gauntlet/state/executionState";
import type { HookRuntime } from "@/node/runtime/HookRuntime";

type OutputState = Partial<Pick<ExecutionState, "outputs" | "reports">>;

const MAX_REPORTS = 20;
const MAX_LISTED_BYTES = 65_536;
const MAX_NAMED = 3;
const MAX_PATH_CHARS = 200;

/** Files that checks wrote. */
export interface WrittenFiles {
  /** The checks that ran each time. */
  readonly jobs: readonly Job[];
  /** Untracked files, relative to the project. */
  readonly paths: readonly string[];
}

/** Returns the context with the outputs that its snapshots leave out. */
export function withOutputs(
  context: GitContext,
  { entryPoints }: GauntletConfig,
  { outputs }: OutputState = {}
): GitContext {
  return { ...context, outputs: declared.outputRules(entryPoints, outputs) };
}

/** Adds files that checks wrote twice to the record of each of them. */
export function addWritten(
  outputs: ExecutionState["outputs"],
  written: WrittenFiles | undefined
): ExecutionState["outputs"] {
  if (written === undefined) return outputs;
  const added = written.jobs.map(({ id, gate }) => {
    const definition = definitionOf(gate);
    const earlier = outputs?.[id]?.definition === definition ? outputs[id].paths : [];
    const paths = [...new Set([...earlier, ...written.paths])].slice(0, declared.MAX_WRITTEN);
    return [id, { definition, paths }] as const;
  });
  return { ...outputs, ...Object.fromEntries(added) };
}

/** Returns which of these files the same checks also wrote in the last run. */
export function writtenAgain(
  before: ExecutionState["written"] = {},
  jobs: readonly Job[],
  paths: readonly string[]
): WrittenFiles | undefined {
  const same = jobs.filter(({ id, gate }) => before[id]?.definition === definitionOf(gate));
  const known = new Set(same.flatMap(({ id }) => before[id]?.paths ?? []));
  const again = paths.filter((path) => known.has(path));
  return again.length === 0 ? undefined : { jobs: same, paths: again };
}

/** Removes files that git tracks from the record: they are changes from now on. */
export function withoutTracked(
  state: ExecutionState,
  rejected: readonly RejectedOutput[]
): ExecutionState {
  const tracked = new Set(
    rejected.flatMap(({ rule }) => (rule.setting === undefined ? rule.path : []))
  );
  if (tracked.size === 0) return state;
  const entries = Object.entries(state.outputs ?? {}).map(([id, { definition, paths }]) => {
    return [id, { definition, paths: paths.filter((path) => !tracked.has(path)) }] as const;
  });
  return { ...state, outputs: Object.fromEntries(entries) };
}

/** Returns the message of a gate that does not run because git tracks what its report setting matches. */
export function whyRejected(
  gate: GateDefinition,
  rejected: readonly RejectedOutput[]
): string | undefined {
  const found = rejected.find(({ rule }) => rule.gate === gate && rule.setting !== undefined);
  if (found === undefined) return undefined;
  const files = found.files.slice(0, MAX_NAMED).map(shown);
  return `Could not be started: "${visible(found.rule.setting ?? "")}" in its "findings" matches files that git tracks (${files.join(", ")}), so changes of them would not be checked; let the check write its reports to a folder of their own, or, if these files are reports, remove them from git with "git rm --cached"`;
}

/** Returns one report of each setting that git does not ignore. One git process, or none without report settings. */
export async function findReports(
  runtime: HookRuntime,
  { projectDir, signal, outputs = [] }: GitContext
): Promise<FoundReport[]> {
  const rules = outputs.filter(({ setting }) => setting !== undefined).slice(0, MAX_REPORTS);
  if (rules.length === 0) return [];
  const globs = rules.flatMap(({ patterns }) => patterns.map((pattern) => `:(glob)${pattern}`));
  const args = ["ls-files", "-z", "--others", "--exclude-standard", "--", ...globs];
  const git = { cwd: projectDir, args, keepBytes: MAX_LISTED_BYTES, mayBeCut: true, signal };
  const listed = await runGit(runtime, git);
  const files = listed.unwrapOr("").split("\0");
  return rules.flatMap((rule) => {
    const matches = declared.matcherOf(rule);
    const file = files.find((path) => path !== "" && matches(path));
    return file === undefined ? [] : [{ gate: rule.gate.name, file, glob: rule.path }];
  });
}

/** Describes the outputs that git does not ignore, each with its line for `.gitignore`. */
export function describeOutputs(
  { entryPoints }: GauntletConfig,
  { outputs = {}, reports = [] }: OutputState
): string[] {
  const checks = entryPoints.flatMap(({ gates }) => gates.filter((gate) => gate.kind === "check"));
  const hasReports = ({ gate }: FoundReport): boolean =>
    checks.some((check) => check.name === gate && declared.reportSettings(check).length > 0);
  const found = reports.filter(hasReports).slice(0, MAX_REPORTS);
  const gatesOf = new Map<string, Set<string>>();
  for (const { path, gate, setting } of declared.outputRules(entryPoints, outputs)) {
    if (setting === undefined) gatesOf.set(path, (gatesOf.get(path) ?? new Set()).add(gate.name));
  }
  // The files that the same checks wrote are named together.
  const groups = new Map<string, string[]>();
  for (const [path, names] of gatesOf) {
    const gates = [...names].join("\0");
    groups.set(gates, [...(groups.get(gates) ?? []), path]);
  }
  return [
    ...found.map(({ gate, file, glob }) =>
      writesOutputs([gate], [file], [/[{}]/.test(glob) ? ignoreLine(file) : anchored(glob)])
    ),
    ...[...groups].map(([gates, paths]) =>
      writesOutputs(gates.split("\0"), paths, paths.map(ignoreLine))
    ),
  ];
}

/** Returns the line of a file in the `.gitignore` of the project. */
function ignoreLine(path: string): string {
  return anchored(path.replaceAll(/[\\*?[\]]| $/g, String.raw`\$&`));
}

/** Anchors a pattern at the project, because one without a slash would match in every folder. */
function anchored(pattern: string): string {
  return pattern.includes("/") && !/^[#!]/.test(pattern) ? pattern : `/${pattern}`;
}

function shown(text: string): string {
  return clip(visible(text), MAX_PATH_CHARS);
}

/**
 * Returns the warning about outputs that git does not ignore.
 *
 * @param gates the names of the checks that may have written the files
 * @param lines their lines for `.gitignore`
 */
function writesOutputs(
  gates: readonly string[],
  files: readonly string[],
  lines: readonly string[]
): string {
  const quoted = (texts: readonly string[]): string[] => texts.map((text) => `"${shown(text)}"`);
  const named = firstNames(files.map(shown), MAX_NAMED);
  const add = quoted(lines.slice(0, MAX_NAMED)).join(", ");
  return `the check ${quoted(gates).join(" or ")} writes ${named}, which git does not ignore; add ${add} to .gitignore`;
}
