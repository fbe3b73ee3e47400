/**
 * Globs once had another meaning. Decides from the recorded state whether a configuration is older than the current one,
 * and then applies the earlier meaning as well, also in new worktrees, and drops passes and records that may cover too
 * little (G4a). Warns of globs whose meaning changed, and of gates that never run because no file matches.
 */
import { posix } from "node:path";
import { shownCommand } from "@/common/ownCommandName";
import type { Files } from "@/node/runtime/HookRuntime";
import { commonGitDir, findWorkingTree } from "@/node/services/gauntlet/turn/readGitFolder";
import { treeFiles } from "@/node/services/gauntlet/change/git/gitQueries";
import type { GauntletConfig } from "@/node/services/gauntlet/config/loadConfig";
import { GlobNotes } from "@/node/services/gauntlet/domain/globs/globNotes";
import { isNegated, mayDiffer } from "@/node/services/gauntlet/domain/globs/matchers";
import type { GauntletRunContext } from "@/node/services/gauntlet/run/runContext";
import { logDirOf } from "@/node/services/gauntlet/run/logs/logDir";
import {
  ANY_TEXT,
  NO_STATE,
  readState,
  type ExecutionState,
} from "@/node/services/gauntlet/state/executionState";

/** Returns the configuration with the meanings that apply, and the state without passes that may cover too little. */
export function withGlobMeaning(
  config: GauntletConfig,
  state: ExecutionState
): { readonly config: GauntletConfig; readonly state: ExecutionState } {
  const readsOld = readsOldGlobs(config, state);
  if (!readsOld) return { config, state: { ...state, globs: state.globs ?? {} } };
  const globs = { ...state.globs, old: config.digest };
  const both = { ...config, ...bothMeanings(config) };
  // A pass may cover less than both meanings do.
  const isLess = state.globs?.old !== config.digest && coversMore(config);
  const passes = isLess ? { passed: undefined, known: undefined, baselines: {} } : {};
  return { config: both, state: { ...state, ...passes, globs } };
}

/** Returns the configuration with the meanings that apply, for a command that writes no state. */
export async function configWithMeaning(
  files: Files,
  projectDir: string,
  config: GauntletConfig
): Promise<GauntletConfig> {
  const { state = NO_STATE } = await readState(files, await logDirOf(files, projectDir, config));
  return withGlobMeaning(config, await withInherited(files, projectDir, config, state)).config;
}

/** Returns the state. In a new linked worktree, it has the meaning of globs that applies in the main worktree. */
export async function withInherited(
  files: Files,
  projectDir: string,
  config: GauntletConfig,
  state: ExecutionState
): Promise<ExecutionState> {
  const isNew = state.globs === undefined && !readsOldGlobs(config, state);
  const tree = isNew ? await findWorkingTree(files, projectDir) : undefined;
  const commonDir = tree && (await commonGitDir(files, tree.gitDir));
  if (tree?.gitDir === commonDir || commonDir?.endsWith("/.git") !== true) return state;
  const inMain = posix.join(commonDir, "..", posix.relative(tree?.root ?? "", projectDir));
  const { state: main } = await readState(files, await logDirOf(files, inMain, config));
  if (main === undefined || !readsOldGlobs(config, main)) return state;
  return { ...state, globs: { old: config.digest } };
}

/** Returns whether both meanings apply: the state is of an older version, or records this configuration as older. */
export function readsOldGlobs(
  { digest }: Pick<GauntletConfig, "digest">,
  { globs, last_run_completed_at, cleaned }: ExecutionState
): boolean {
  if (globs === undefined) return last_run_completed_at !== undefined || cleaned === true;
  return globs.old === digest || globs.old === ANY_TEXT;
}

/**
 * Returns warnings for the first stop with a configuration: which of its globs have a changed meaning, and which gates
 * never run because no file matches. One process of git.
 */
export async function describeGlobs(
  { runtime, config, context }: GauntletRunContext,
  { globs }: ExecutionState,
  snapshot: string
): Promise<readonly string[]> {
  const listed = await treeFiles(runtime, context, snapshot);
  const paths = listed.unwrapOr([]).map(({ path }) => path);
  const notes = new GlobNotes(paths, globs?.old === config.digest).examine(config);
  const shown = notes.filter(({ kind }) => kind !== "unused").slice(0, MAX_SHOWN);
  const hasChanged = shown.some(({ kind }) => kind === "changed");
  return [...shown.map(({ text }) => text), ...(hasChanged ? [adviceOnGlobs()] : [])];
}

const MAX_SHOWN = 10;
/** Returns the advice that follows warnings about globs with a changed meaning. */
export function adviceOnGlobs(): string {
  const command = shownCommand();
  return `globs have one meaning in all fields now; "${command} validate --fix" writes these anew, and then "${command} trust" accepts the change`;
}

function bothMeanings({ entryPoints, globalDependencies }: GauntletConfig) {
  const field = "global_dependencies";
  return {
    readsOld: mayDiffer({ field, globs: globalDependencies }),
    entryPoints: entryPoints.map((point) => ({
      ...point,
      readsOld: mayDiffer({ field: "exclude", globs: point.exclude }),
      gates: point.gates.map((gate) => {
        if (gate.kind !== "check" || !listsOf(gate).some(mayDiffer)) return gate;
        return { ...gate, readsOld: true };
      }),
    })),
  };
}

/** Returns whether both meanings together may make a gate check more files than before. */
function coversMore({ entryPoints, globalDependencies: globs }: GauntletConfig): boolean {
  return (
    mayDiffer({ field: "global_dependencies", globs }) ||
    entryPoints.some(
      ({ exclude, gates }) =>
        exclude.some(isNegated) ||
        gates.some((gate) => gate.kind === "check" && listsOf(gate).some(mayDiffer))
    )
  );
}

type ListsOfCheck = Partial<Record<"files" | "when" | "inputs", readonly string[]>>;

function listsOf(gate: ListsOfCheck) {
  const fields = ["files", "when", "inputs"] as const;
  return fields.map((field) => ({ field, globs: gate[field] ?? [] }));
}
