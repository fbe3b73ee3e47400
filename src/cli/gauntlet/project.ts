/** The project that a command is about: the one around the current folder (G24). */
import { posix } from "node:path";
import type { CliContext } from "@/cli/context";
import { complain } from "@/cli/gauntlet/complain";
import { EXIT, type ExitCode } from "@/cli/gauntlet/exitCodes";
import { plainText, plural, visible } from "@/common/text";
import { LocalRuntime } from "@/node/runtime/LocalRuntime";
import type { Runtime } from "@/node/runtime/Runtime";
import { findGauntletProject } from "@/node/services/gauntlet/config/findProject";
import type { GauntletConfig } from "@/node/services/gauntlet/config/gauntletConfig";
import { loadGauntletConfig, type ConfigLoad } from "@/node/services/gauntlet/config/loadConfig";
import { formatProblem } from "@/node/services/gauntlet/config/problem";

export interface Project {
  readonly runtime: Runtime;
  /** Absolute. */
  readonly dir: string;
}

export interface ConfiguredProject extends Project {
  readonly config: GauntletConfig;
  /** Absolute. */
  readonly logDir: string;
}

export async function findProject({ env, cwd }: CliContext): Promise<Project | undefined> {
  const runtime = new LocalRuntime({ env });
  const dir = await findGauntletProject(runtime, cwd);
  return dir === undefined ? undefined : { runtime, dir };
}

/** The project with its configuration; where there is none that can be used, that is said, and it is over. */
export async function inProject(
  context: CliContext,
  act: (project: ConfiguredProject) => Promise<ExitCode>
): Promise<ExitCode> {
  const project = await findProject(context);
  if (project === undefined) return complainOfNoProject(context);
  const loaded = await loadGauntletConfig(project.runtime, project.dir);
  if (loaded.kind === "none") return complainOfNoProject(context);
  tellProblems(context, loaded);
  if (loaded.kind === "invalid") return EXIT.failure;
  const { config } = loaded;
  return await act({ ...project, config, logDir: posix.join(project.dir, config.logDir) });
}

export function complainOfNoProject(context: CliContext): ExitCode {
  const place = `there is no .gauntlet/config.yml in ${visible(context.cwd)}, nor in a folder above it in the same repository`;
  const advice = "agent-gauntlet init writes one";
  return complain(context, `not a gauntlet-enabled project: ${place}; ${advice}`);
}

/** On standard error, for a command that is about something else. */
export function tellProblems(
  context: CliContext,
  { kind, problems }: Exclude<ConfigLoad, { kind: "none" }>
): void {
  for (const problem of problems) context.stderr.write(`${plainText(formatProblem(problem))}\n`);
  if (kind === "valid") return;
  const errors = problems.filter(({ severity }) => severity === "error").length;
  complain(context, `the configuration has ${plural(errors, "error")}; mend it and try again`);
}
