/** The project of a command: the one around the current folder, or around a folder on another machine (G24). */
import type { CliContext } from "@/cli/context";
import { printError } from "@/cli/render/printError";
import { EXIT, type ExitCode } from "@/cli/exitCodes";
import { findNote } from "@/node/services/gauntlet/turn/TurnStore";
import { plainText, visible, plural } from "@/common/text";
import { ConnectedReads } from "@/node/runtime/connectionErrors";
import { CommandRuntime } from "@/node/runtime/local/CommandRuntime";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { findGauntletProject } from "@/node/services/gauntlet/config/findProject";
import type { GauntletConfig } from "@/node/services/gauntlet/config/gauntletConfig";
import { loadGauntletConfig, type ConfigLoad } from "@/node/services/gauntlet/config/loadConfig";
import { logDirOf } from "@/node/services/gauntlet/run/logs/logDir";
import { formatDiagnostic } from "@/node/services/gauntlet/config/source/diagnostic";
import { noProject } from "@/cli/gauntlet/messages/shared";

export interface Project {
  readonly runtime: HookRuntime;
  /** Absolute. */
  readonly dir: string;
}

export interface ConfiguredProject extends Project {
  readonly config: GauntletConfig;
  /** Absolute. */
  readonly logDir: string;
}

export interface PlaceOption {
  /** `ssh://[user@]host[:port]/path`, instead of the current folder. */
  readonly workspace?: string;
}

interface WithProjectOptions extends PlaceOption {
  /** Called before the missing project is reported. */
  readonly whenNone?: () => void;
  /** Called instead of reporting the missing project. */
  readonly withoutConfig?: (folder: Project) => Promise<ExitCode>;
}

/** Runs an action in the project, even if its configuration is invalid. Reports a missing project instead. */
export async function withProject(
  context: CliContext,
  act: (project: Project) => Promise<ExitCode>,
  { workspace, whenNone, withoutConfig }: WithProjectOptions = {}
): Promise<ExitCode> {
  const find = async (runtime: HookRuntime, folder: string): Promise<ExitCode> => {
    const reads = new ConnectedReads(runtime);
    const dir = await findGauntletProject(reads, folder);
    if (reads.lost !== undefined) return printError(context, reads.lost.message);
    if (dir !== undefined) return await act({ runtime, dir });
    whenNone?.();
    if (withoutConfig !== undefined) return await withoutConfig({ runtime, dir: folder });
    return printNoProject(context, { runtime, dir: folder });
  };
  if (workspace === undefined)
    return await find(new CommandRuntime({ env: context.env }), context.cwd);
  const { withRemoteWorkspace } = await import("@/cli/remoteWorkspace");
  return await withRemoteWorkspace(
    workspace,
    context,
    ({ runtime, projectDir }) => find(runtime, projectDir),
    printError
  );
}

/** Runs an action in the project with its configuration. Reports a missing or invalid configuration instead. */
export async function inProject(
  context: CliContext,
  act: (project: ConfiguredProject) => Promise<ExitCode>,
  options: PlaceOption = {}
): Promise<ExitCode> {
  return await withProject(
    context,
    async (project) => {
      const reads = new ConnectedReads(project.runtime);
      const loaded = await loadGauntletConfig(reads, project.dir, { env: context.env });
      if (reads.lost !== undefined) return printError(context, reads.lost.message);
      if (loaded.kind === "none") return printNoProject(context, project);
      printProblems(context, loaded);
      if (loaded.kind === "invalid") return EXIT.failure;
      const { config } = loaded;
      const logDir = await logDirOf(project.runtime, project.dir, config);
      return await act({ ...project, config, logDir });
    },
    options
  );
}

/**
 * Runs an action with the project and its log folder. Without a valid configuration, these come from the note of the
 * last failure if there is one.
 */
export async function withPutAwayPlace(
  context: CliContext,
  act: (place: Omit<ConfiguredProject, "config">) => Promise<ExitCode>,
  options: PlaceOption = {}
): Promise<ExitCode> {
  const inPlace = async ({ runtime, dir }: Project): Promise<ExitCode> => {
    const loaded = await loadGauntletConfig(runtime, dir, { env: context.env });
    const note = loaded.kind === "valid" ? undefined : await findNote(runtime, dir);
    const config = loaded.kind === "valid" ? loaded.config : NO_CONFIG;
    return await act({
      runtime,
      dir,
      logDir: note?.logDir ?? (await logDirOf(runtime, dir, config)),
    });
  };
  const withoutConfig = async ({ runtime, dir }: Project): Promise<ExitCode> => {
    const note = await findNote(runtime, dir);
    if (note === undefined) return printNoProject(context, { runtime, dir });
    return await act({ runtime, dir: note.projectDir, logDir: note.logDir });
  };
  return await withProject(context, inPlace, { ...options, withoutConfig });
}

const NO_CONFIG = { logDir: undefined, entryPoints: [] };

export function printNoProject(context: CliContext, { runtime, dir }: Project): ExitCode {
  const machine = runtime.isRemote ? visible(runtime.label) : undefined;
  return printError(context, noProject(visible(dir), machine));
}

/** Prints the problems of the configuration on standard error, for a command that has another purpose. */
export function printProblems(
  context: CliContext,
  { kind, problems }: Exclude<ConfigLoad, { kind: "none" }>
): void {
  for (const problem of problems) context.stderr.write(`${plainText(formatDiagnostic(problem))}\n`);
  if (kind === "valid") return;
  const errors = problems.filter(({ severity }) => severity === "error").length;
  printError(
    context,
    `the configuration has ${plural(errors, "error")}; correct the configuration and try again`
  );
}
