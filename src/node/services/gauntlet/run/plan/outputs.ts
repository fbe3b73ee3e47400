/** The outputs of the checks of a run: which files they are, and what the user should know about them (G20c). */
import { clip, visible } from "@/common/text";
import { runGit } from "@/node/services/gauntlet/change/git/runGit";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import type { RejectedOutput } from "@/node/services/gauntlet/change/snapshot/takeSnapshot";
import type { GauntletConfig } from "@/node/services/gauntlet/config/gauntletConfig";
import {
  matcherOf,
  MAX_WRITTEN,
  outputRules,
  reportSettings,
  type OutputRule,
} from "@/node/services/gauntlet/domain/outputs";
import type { GateDefinition, Job } from "@/node/services/gauntlet/domain/gate";
import { definitionOf } from "@/node/services/gauntlet/domain/plan";
import type { WrittenTwice } from "@/node/services/gauntlet/run/execute/secondLook";
import type { ExecutionState, FoundReport } from "@/node/services/gauntlet/state/executionState";
import type { HookRuntime } from "@/node/runtime/HookRuntime";

type OutputState = Pick<ExecutionState, "outputs" | "reports">;

const MAX_REPORTS = 20;
const MAX_LISTED_BYTES = 65_536;
const MAX_NAMED = 3;
const MAX_PATH_CHARS = 200;

/** Returns the context with the outputs that its snapshots leave out. */
export function withOutputs(
  context: GitContext,
  { entryPoints }: GauntletConfig,
  { outputs }: Pick<OutputState, "outputs"> = {}
): GitContext {
  return { ...context, outputs: outputRules(entryPoints, outputs) };
}

/** Adds files that checks wrote twice to the record of each of them. */
export function addWritten(
  outputs: ExecutionState["outputs"],
  written: WrittenTwice | undefined
): ExecutionState["outputs"] {
  if (written === undefined) return outputs;
  const added = written.jobs.map(({ id, gate }) => {
    const definition = definitionOf(gate);
    const earlier = outputs?.[id]?.definition === definition ? outputs[id].paths : [];
    const paths = [...new Set([...earlier, ...written.paths])].slice(0, MAX_WRITTEN);
    return [id, { definition, paths }] as const;
  });
  return { ...outputs, ...Object.fromEntries(added) };
}

/** Returns which of these files the same checks also wrote in the last run. */
export function writtenAgain(
  before: ExecutionState["written"] = {},
  jobs: readonly Job[],
  paths: readonly string[]
): WrittenTwice | undefined {
  const same = jobs.filter(({ id, gate }) => before[id]?.definition === definitionOf(gate));
  const known = new Set(same.flatMap(({ id }) => before[id]?.paths ?? []));
  const again = paths.filter((path) => known.has(path));
  return again.length === 0 ? undefined : { jobs: same, paths: again };
}

/** Removes files that git tracks from the record: they are changes from now on. */
export function withoutTracked<T extends OutputState>(
  state: T,
  rejected: readonly RejectedOutput[]
): T {
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
  if (found?.rule.setting === undefined) return undefined;
  const files = found.files.slice(0, MAX_NAMED).map(shown);
  return `Could not be started: "${visible(found.rule.setting)}" in its "findings" matches files that git tracks (${files.join(", ")}), so changes of them would not be checked; let the check write its reports to a folder of their own, or, if these files are reports, remove them from git with "git rm --cached"`;
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
    const matches = matcherOf(rule);
    const file = files.find((path) => path !== "" && matches(path));
    return file === undefined ? [] : [{ gate: rule.gate.name, file, glob: rule.path }];
  });
}

/** Describes the outputs that git does not ignore, each with its line for `.gitignore`. */
export function describeOutputs(
  { entryPoints }: Pick<GauntletConfig, "entryPoints">,
  { outputs = {}, reports = [] }: OutputState
): string[] {
  const checks = entryPoints.flatMap(({ gates }) => gates.filter((gate) => gate.kind === "check"));
  const hasReports = ({ gate }: FoundReport): boolean =>
    checks.some((check) => check.name === gate && reportSettings(check).length > 0);
  const found = reports.filter(hasReports).slice(0, MAX_REPORTS);
  const written = outputRules(entryPoints, outputs).filter(({ setting }) => setting === undefined);
  return [
    ...found.map(({ gate, file, glob }) => {
      const line = /[{}]/.test(glob) ? ignoreLine(file) : anchored(glob);
      return writesOutputs([shown(gate)], [shown(file)], [shown(line)], 0);
    }),
    ...describeWritten(written),
  ];
}

/** Combines the files that the same checks wrote. */
function describeWritten(rules: readonly OutputRule[]): string[] {
  const gatesOf = new Map<string, string[]>();
  for (const { path, gate } of rules) {
    gatesOf.set(path, [...new Set([...(gatesOf.get(path) ?? []), gate.name])]);
  }
  const groups = new Map<string, { readonly gates: readonly string[]; readonly paths: string[] }>();
  for (const [path, gates] of gatesOf) {
    const key = gates.join("\0");
    const group = groups.get(key) ?? { gates, paths: [] };
    groups.set(key, group);
    group.paths.push(path);
  }
  return [...groups.values()].map(({ gates, paths }) => {
    const first = paths.slice(0, MAX_NAMED);
    const lines = first.map((path) => shown(ignoreLine(path)));
    return writesOutputs(gates.map(shown), first.map(shown), lines, paths.length - MAX_NAMED);
  });
}

/** Returns the line of a file in the `.gitignore` of the project. */
function ignoreLine(path: string): string {
  return anchored(path.replaceAll(/[\\*?[\]]| $/g, String.raw`\$&`));
}

/** A pattern without a slash would match in every folder. */
function anchored(pattern: string): string {
  return pattern.includes("/") && !/^[#!]/.test(pattern) ? pattern : `/${pattern}`;
}

function shown(text: string): string {
  return clip(visible(text), MAX_PATH_CHARS);
}

/**
 * A warning of a run.
 *
 * @param gates the names of the checks that may have written the files
 * @param lines their lines for `.gitignore`
 * @param rest the number of files that are not named
 */
function writesOutputs(
  gates: readonly string[],
  files: readonly string[],
  lines: readonly string[],
  rest: number
): string {
  const names = gates.map((name) => `"${name}"`).join(" or ");
  const more = rest > 0 ? ` and ${rest} more` : "";
  const add = lines.map((line) => `"${line}"`).join(", ");
  return `the check ${names} writes ${files.join(", ")}${more}, which git does not ignore; add ${add} to .gitignore`;
}
