/**
 * Turns what the files of a project suggest into the checks that `init` offers: each with a name, its entry points, and
 * whether it is preselected (G29). Drops commands such as `deploy` or `dev`, and lists as left out, with the reason,
 * those that wait for changes or that change files instead of reporting.
 */
import { Evidence, WATCHES } from "@/cli/gauntlet/init/detect/workflowEvidence";
import { suggestHookManagers, WRITES } from "@/cli/gauntlet/init/detect/hookManagers";
import { suggestJavascript } from "@/cli/gauntlet/init/detect/javascript";
import { composerTest, suggestLanguages } from "@/cli/gauntlet/init/detect/languageChecks";
import type { ProjectFolder } from "@/cli/gauntlet/init/detect/ProjectFolder";
import { programOf, improveChecks } from "@/cli/gauntlet/init/detect/improveChecks";
import { suggestTasks } from "@/cli/gauntlet/init/detect/taskRunners";
import type {
  CheckKind,
  CheckProposal,
  LeftOut,
  Suggestion,
} from "@/cli/gauntlet/init/detect/types";

export interface Proposals {
  readonly checks: readonly CheckProposal[];
  readonly leftOut: readonly LeftOut[];
  readonly globalDependencies: readonly string[];
}

/**
 * `script`: the project defines the command for one language. `task`: a task runner that usually covers all languages
 * defines it. `default`: the usual command of a language. `hooks`: a manager of git hooks runs it.
 */
type Origin = "script" | "task" | "default" | "hooks";

type Detector = (project: ProjectFolder, evidence: Evidence) => Promise<readonly Suggestion[]>;

const DETECTORS: readonly (readonly [Origin, Detector])[] = [
  ["script", suggestJavascript],
  ["default", suggestLanguages],
  ["script", composerTest],
  ["task", suggestTasks],
  ["hooks", suggestHookManagers],
];

/** Names of commands that have an effect outside of the project, or do not end. They are never proposed. */
const NEVER = /^(?:deploy|release|publish|e2e|dev|watch|start|serve)$/;
/** Checks beyond this number are not offered, because the list would not fit on a screen. */
const MAX_CHECKS = 40;

interface Candidate extends Suggestion {
  readonly entryPoint: string;
  readonly origin: Origin;
  /** The workflow that runs the same. */
  readonly workflow?: string;
}

/** Returns the checks to offer, from files in the root and the workspaces of the project. Runs none of its programs. */
export async function proposeChecks(project: ProjectFolder): Promise<Proposals> {
  const evidence = await Evidence.read(project);
  const detected = await Promise.all(
    DETECTORS.map(async ([origin, detect]) =>
      (await detect(project, evidence)).map((one) => ({ entryPoint: ".", ...one, origin }))
    )
  );
  const leftOut: LeftOut[] = [];
  const candidates: Candidate[] = [];
  for (const one of detected.flat()) {
    const { command, reason, entryPoint } = one;
    if (!isOffered(command)) continue;
    const texts = await project.textsOf(command, one.exampleFolder ?? entryPoint);
    const why = texts.some((text) => WATCHES.test(text))
      ? "it waits for changes, so it never ends"
      : isFix(one.kind, texts) && "it changes files instead of reporting";
    if (why !== false) {
      leftOut.push({ command, reason, why });
      continue;
    }
    const run = one.written?.command ?? command;
    const workflow = entryPoint === "." ? await evidence.workflowOf(run) : undefined;
    const confirmation = workflow === undefined ? "" : `, and ${workflow} runs it`;
    candidates.push({ ...one, workflow, reason: `${reason}${confirmation}` });
  }
  const checks = makeProposals(candidates);
  const hasFolders = checks.some(({ entryPoints }) => entryPoints.some((path) => path !== "."));
  const globals = detected.flat().flatMap(({ globalDependencies = [] }) => globalDependencies);
  return {
    checks: (await improveChecks(project, checks, isOffered)).slice(0, MAX_CHECKS),
    leftOut,
    globalDependencies: hasFolders ? [...new Set(globals)] : [],
  };
}

/** Returns whether a linter or formatter changes files. A test may generate some before it runs. */
function isFix(kind: CheckKind, texts: readonly string[]): boolean {
  const writes = (text: string) => text.replaceAll(" --fix-dry-run", "").search(WRITES) !== -1;
  return kind !== "test" && texts.some(writes);
}

function isOffered(command: string): boolean {
  return !command.split(/[\s:]+/).some((word) => NEVER.test(word));
}

/**
 * Joins equal commands for several entry points into one check, limits their number, and puts the preselected ones
 * first. The first check of a kind gets the kind as its name; the name of another one contains its tool.
 */
function makeProposals(candidates: readonly Candidate[]): CheckProposal[] {
  const groups = new Map<string, Candidate & Pick<CheckProposal, "entryPoints">>();
  for (const one of candidates) {
    const key = JSON.stringify([one.kind, one.command, one.repair]);
    const { entryPoints: before, ...first } = groups.get(key) ?? { ...one, entryPoints: [] };
    groups.set(key, { ...first, entryPoints: [...new Set([...before, one.entryPoint])] });
  }
  const checks = [...groups.values()].map((one) => ({
    ...one,
    isPreselected: isPreselected(one, candidates),
  }));
  const names = new Set<string>();
  const takeName = ({ kind, tool }: Candidate): string => {
    const usual = [kind, `${kind}-${tool.replaceAll(/[^\w-]+/g, "-")}`];
    let name = usual.find((one) => !names.has(one)) ?? "";
    for (let nth = 2; name === "" || names.has(name); nth++) name = `${kind}-${nth}`;
    names.add(name);
    return name;
  };
  // Preselected ones first, so that they get the short names.
  checks.sort((a, b) => Number(b.isPreselected) - Number(a.isPreselected));
  return checks.slice(0, MAX_CHECKS).map((check) => {
    const { kind, command, written, repair, reason, entryPoints } = check;
    const { program = programOf(command), exampleFolder, entryPoint } = check;
    return {
      ...{ name: takeName(check), kind, command, written, repair, program, reason, entryPoints },
      folder: exampleFolder ?? entryPoint,
      isPreselected: check.isPreselected,
    };
  });
}

/**
 * Returns whether a check is selected unless the user decides otherwise. A command that a workflow runs is; if it is a
 * task, no other check of its kind is. Otherwise a script is; a task is if its kind has no script and no command of a
 * workflow; a usual command is unless its kind has a task and no script; and a git hook is if nothing else has its
 * kind.
 */
function isPreselected({ kind, origin, workflow }: Candidate, all: readonly Candidate[]): boolean {
  if (workflow !== undefined) return true;
  const same = all.filter((other) => other.kind === kind);
  const has = (wanted: Origin): boolean => same.some((other) => other.origin === wanted);
  const run = same.filter((other) => other.workflow !== undefined);
  if (run.some((other) => other.origin === "task")) return false;
  const selected: Readonly<Record<Origin, boolean>> = {
    script: true,
    task: run.length === 0 && !has("script"),
    default: !has("task") || has("script"),
    hooks: !has("script") && !has("task") && !has("default"),
  };
  return selected[origin];
}
