/**
 * Lets test runners that have a JUnit reporter of their own write a report, from which a failed check gets its findings
 * (G29). Only for a plain call whose project sets no reporter, and in the root: a report is below the log folder there.
 */
import { posix } from "node:path";
import type { PackageJson } from "@/cli/gauntlet/init/detect/javascript/packageJson";
import type { PackageManager } from "@/cli/gauntlet/init/detect/javascript/packageManager";
import type { ProjectFolder } from "@/cli/gauntlet/init/detect/ProjectFolder";
import type { CheckProposal, ProposedReport } from "@/cli/gauntlet/init/detect/types";
import { DEFAULT_LOG_DIR } from "@/node/services/gauntlet/config/logDir";
import { values, withoutLauncher } from "@/node/services/gauntlet/known/commandTools";
import { parseShellLine, type ShellWord } from "@/node/services/gauntlet/known/shellLine";

interface Runner {
  /** Matches the words without the package manager, joined by spaces. */
  readonly call: RegExp;
  /** Matches the names of the files in which a project sets reporters. */
  readonly configs: RegExp;
  /** Matches what sets a reporter, in these files and in the command. */
  readonly setting: RegExp;
  readonly options: (path: string) => string;
}

const RUNNERS: readonly Runner[] = [
  {
    call: /^vitest (?:run|--run)(?: |$)/,
    configs: /^vite(?:st)?\.(?:config|workspace|projects)\./,
    setting: /reporter|outputFile/,
    options: (path) => `--reporter=default --reporter=junit --outputFile.junit=${path}`,
  },
  {
    call: /^pytest(?: |$)/,
    configs: /^(?:\.?pytest\.ini|pyproject\.toml|setup\.cfg|tox\.ini)$/,
    setting: /junit/,
    options: (path) => `--junitxml=${path}`,
  },
];
/** After a file, Node.js takes its options for those of the file. */
const NODE = /^node --test(?: --[\w=./-]+)*$/;
const NODE_OPTIONS = (path: string): string =>
  `--test-reporter=spec --test-reporter-destination=stdout --test-reporter=junit --test-reporter-destination=${path}`;

/** Returns undefined if it is not certain how the command writes a report. */
export async function reportOf(
  project: ProjectFolder,
  { name, command, entryPoints, kind }: CheckProposal,
  pack: PackageJson,
  manager: PackageManager
): Promise<ProposedReport | undefined> {
  if (kind !== "test" || entryPoints.length !== 1 || entryPoints[0] !== ".") return undefined;
  const script = [...pack.scripts].find(([one]) => manager.run(one) === command)?.[1];
  const words = wordsOf(script ?? command);
  const line = values(withoutLauncher(words ?? [])).join(" ");
  // What follows `--` would be an argument of the tests.
  if (/(?:^| )--(?: |$)/.test(line)) return undefined;
  const path = posix.join(DEFAULT_LOG_DIR, `${name}.junit.xml`);
  const findings = `junit:${path}`;
  const dashes = script !== undefined && manager.name === "npm" ? " --" : "";
  if (NODE.test(line) && !line.includes("--test-reporter")) {
    // Node.js does not create the folder.
    const reporting = `${command}${dashes} ${NODE_OPTIONS(path)}`;
    return { command: `mkdir -p ${DEFAULT_LOG_DIR} && ${reporting}`, findings };
  }
  const runner = RUNNERS.find(({ call }) => call.test(line));
  if (runner === undefined || runner.setting.test(line)) return undefined;
  for (const config of project.matchAll(runner.configs)) {
    if (runner.setting.test(await project.text(config))) return undefined;
  }
  return { command: `${command}${dashes} ${runner.options(path)}`, findings };
}

/** Returns the words of a plain call. */
function wordsOf(command: string): readonly ShellWord[] | undefined {
  const [item, ...more] = parseShellLine(command)?.items ?? [];
  return item?.isSimple === true && more.length === 0 ? item.words : undefined;
}
