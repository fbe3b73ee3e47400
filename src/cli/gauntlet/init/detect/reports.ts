/**
 * Lets test runners that have a JUnit reporter of their own write a report, from which a failed check gets its findings
 * (G29). Only for a plain call whose project sets no reporter, and in the root.
 */
import type { PackageJson, PackageManager } from "@/cli/gauntlet/init/detect/packageManager";
import type { ProjectFolder } from "@/cli/gauntlet/init/detect/ProjectFolder";
import type { CheckProposal } from "@/cli/gauntlet/init/detect/types";
import { REPORT_VARIABLE } from "@/node/services/gauntlet/domain/findings/finding";
import { values, withoutLauncher } from "@/node/services/gauntlet/known/commandTools";
import { parseShellLine } from "@/node/services/gauntlet/known/shellLine";

interface Runner {
  /** Matches the words without the package manager, joined by spaces. */
  readonly call: RegExp;
  /** Matches the names of the files in which a project sets reporters. */
  readonly configs: RegExp;
  /** Matches what sets a reporter, in these files and in the command. */
  readonly setting: RegExp;
  readonly options: string;
}

/** By hand, such a command writes no report. */
export const REPORT_PATH = `"\${${REPORT_VARIABLE}:-/dev/null}"`;

const RUNNERS: readonly Runner[] = [
  {
    // After a file, Node.js takes its options for those of the file.
    call: /^node --test(?: --[\w=./-]+)*$/,
    configs: /^$/,
    setting: /--test-reporter/,
    options: `--test-reporter=spec --test-reporter-destination=stdout --test-reporter=junit --test-reporter-destination=${REPORT_PATH}`,
  },
  {
    call: /^vitest (?:run|--run)(?: |$)/,
    configs: /^vite(?:st)?\.(?:config|workspace|projects)\./,
    setting: /reporter|outputFile/,
    options: `--reporter=default --reporter=junit --outputFile.junit=${REPORT_PATH}`,
  },
  {
    call: /^pytest(?: |$)/,
    configs: /^(?:\.?pytest\.ini|pyproject\.toml|setup\.cfg|tox\.ini)$/,
    setting: /junit/,
    options: `--junitxml=${REPORT_PATH}`,
  },
];

/** Returns undefined if it is not certain how the command writes a report. */
export async function reportOf(
  project: ProjectFolder,
  { command, entryPoints, kind }: CheckProposal,
  pack: PackageJson,
  manager: PackageManager
): Promise<CheckProposal["report"]> {
  if (kind !== "test" || entryPoints.length !== 1 || entryPoints[0] !== ".") return undefined;
  const script = [...pack.scripts].find(([one]) => manager.run(one) === command)?.[1];
  const [item, ...more] = parseShellLine(script ?? command)?.items ?? [];
  if (item?.isSimple !== true || more.length > 0) return undefined;
  const line = values(withoutLauncher(item.words)).join(" ");
  const runner = RUNNERS.find(({ call }) => call.test(line));
  // An option after `--` would be an argument of the tests.
  if (runner === undefined || runner.setting.test(line) || /(?:^| )--(?: |$)/.test(line)) {
    return undefined;
  }
  for (const config of project.matchAll(runner.configs)) {
    if (runner.setting.test(await project.text(config))) return undefined;
  }
  const dashes = script !== undefined && manager.name === "npm" ? " --" : "";
  return { command: `${command}${dashes} ${runner.options}`, findings: "junit" };
}
