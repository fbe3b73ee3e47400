/** Turns what the files of a project suggest into the checks that `init` offers (G29). */
import type { Files } from "@/node/runtime/HookRuntime";
import { Evidence, scriptReader, WATCHES } from "@/cli/gauntlet/init/detect/evidence";
import { suggestGo } from "@/cli/gauntlet/init/detect/go";
import { suggestHookManagers } from "@/cli/gauntlet/init/detect/hookManagers";
import { suggestJavascript } from "@/cli/gauntlet/init/detect/javascript/suggestJavascript";
import { suggestOthers } from "@/cli/gauntlet/init/detect/otherEcosystems";
import { ProjectFolder } from "@/cli/gauntlet/init/detect/ProjectFolder";
import { suggestPython } from "@/cli/gauntlet/init/detect/python";
import { suggestRust } from "@/cli/gauntlet/init/detect/rust";
import { splitChecks } from "@/cli/gauntlet/init/detect/splitChecks";
import { suggestTasks } from "@/cli/gauntlet/init/detect/taskRunners";
import type {
  CheckProposal,
  Detected,
  LeftOut,
  Suggestion,
} from "@/cli/gauntlet/init/detect/types";
import { commandTexts } from "@/node/services/gauntlet/known/namedScripts";

export interface Proposals {
  readonly checks: readonly CheckProposal[];
  readonly leftOut: readonly LeftOut[];
  readonly globalDependencies: readonly string[];
}

const DETECTORS: readonly ((project: ProjectFolder, evidence: Evidence) => Promise<Detected>)[] = [
  suggestJavascript,
  suggestPython,
  suggestGo,
  suggestRust,
  suggestOthers,
  suggestTasks,
  suggestHookManagers,
];

/** Names of commands that have an effect outside of the project, or do not end. They are never proposed. */
const NEVER = /^(?:deploy|release|publish|e2e|dev|watch|start|serve)$/;
/** More are not offered: the list would not fit on a screen. */
const MAX_CHECKS = 40;

/** Reads the files in the root of the project. Runs none of its programs. */
export async function proposeChecks(files: Files, projectDir: string): Promise<Proposals> {
  const project = await ProjectFolder.open(files, projectDir);
  const evidence = await Evidence.read(project);
  const detected = await Promise.all(DETECTORS.map((detect) => detect(project, evidence)));
  const leftOut: LeftOut[] = [];
  const suggestions: Suggestion[] = [];
  const read = scriptReader(project);
  for (const one of detected.flatMap((found) => found.suggestions)) {
    const { command, reason } = one;
    const texts = await commandTexts(command, one.exampleFolder ?? one.entryPoint, read);
    if (!isOffered(command)) continue;
    if (texts.some((text) => WATCHES.test(text))) {
      leftOut.push({ command, reason, why: "it waits for changes, so it never ends" });
      continue;
    }
    const workflow = one.entryPoint === "." ? await evidence.workflowOf(command) : undefined;
    const seen = workflow === undefined ? "" : `, and ${workflow} runs it`;
    suggestions.push({ ...one, workflow, reason: `${reason}${seen}` });
  }
  const checks = grouped(suggestions).slice(0, MAX_CHECKS);
  const used = checks.some(({ entryPoints }) => entryPoints.some((path) => path !== "."));
  const globals = detected.flatMap(({ globalDependencies = [] }) => globalDependencies);
  return {
    checks: (await splitChecks(project, named(checks, suggestions), isOffered)).slice(
      0,
      MAX_CHECKS
    ),
    leftOut,
    globalDependencies: used ? [...new Set(globals)] : [],
  };
}

function isOffered(command: string): boolean {
  return !command.split(/[\s:]+/).some((word) => NEVER.test(word));
}

interface Group extends Suggestion {
  readonly entryPoints: readonly string[];
}

/** Joins equal commands for several entry points into one check. */
function grouped(suggestions: readonly Suggestion[]): Group[] {
  const groups = new Map<string, Group>();
  for (const suggestion of suggestions) {
    const key = JSON.stringify([suggestion.kind, suggestion.command, suggestion.repair]);
    const before = groups.get(key)?.entryPoints ?? [];
    const entryPoints = [...new Set([...before, suggestion.entryPoint])];
    groups.set(key, { ...(groups.get(key) ?? suggestion), entryPoints });
  }
  return [...groups.values()];
}

/** The first check of a kind gets the kind as its name; others get the name of their tool as well. */
function named(groups: readonly Group[], suggestions: readonly Suggestion[]): CheckProposal[] {
  const names = new Set<string>();
  const nameOf = ({ kind, tool }: Group): string => {
    for (const name of [kind, `${kind}-${tool.replaceAll(/[^\w-]+/g, "-")}`]) {
      if (!names.has(name)) return name;
    }
    for (let nth = 2; ; nth++) {
      if (!names.has(`${kind}-${nth}`)) return `${kind}-${nth}`;
    }
  };
  // Preselected ones first, so that they get the short names.
  const ordered = [...groups].sort(
    (a, b) => Number(isPreselected(b, suggestions)) - Number(isPreselected(a, suggestions))
  );
  return ordered.map((group) => {
    const name = nameOf(group);
    names.add(name);
    const { kind, command, written, repair, reason, entryPoints } = group;
    const { program = command.split(" ", 1)[0] ?? "" } = group;
    return {
      ...{ name, kind, command, written, repair, program, reason, entryPoints },
      folder: group.exampleFolder ?? group.entryPoint,
      isPreselected: isPreselected(group, suggestions),
    };
  });
}

/**
 * What a workflow runs is selected. Otherwise a script of the project is, unless a workflow runs a task. A task stands for
 * the usual commands of all languages, unless a script does the same. Git hooks are selected if nothing else does their
 * work.
 */
function isPreselected(
  { kind, origin, workflow }: Suggestion,
  all: readonly Suggestion[]
): boolean {
  const same = all.filter((other) => other.kind === kind);
  const has = (wanted: Suggestion["origin"]): boolean =>
    same.some((other) => other.origin === wanted);
  if (workflow !== undefined) return true;
  const run = same.filter((other) => other.workflow !== undefined);
  if (run.some((other) => other.origin === "task")) return false;
  if (origin === "task" && run.length > 0) return false;
  switch (origin) {
    case "script":
      return true;
    case "task":
      return !has("script");
    case "default":
      return !has("task") || has("script");
    case "hooks":
      return !has("script") && !has("task") && !has("default");
  }
}
