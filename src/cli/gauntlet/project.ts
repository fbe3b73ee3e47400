/**
 * Finds the project of a gauntlet command, around the current folder or a folder on another machine, loads its
 * configuration, and reports if one of them is missing or invalid (G24). Also describes a run in progress.
 */
import { type CliContext, printError, EXIT, type ExitCode } from "@/cli/context";
import { plainText, visible, plural } from "@/common/safeText";
import { ConnectedReads } from "@/node/runtime/lostConnection";
import { FastStartRuntime } from "@/node/runtime/local/FastStartRuntime";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { findGauntletProject } from "@/node/services/gauntlet/config/configPaths";
import * as configs from "@/node/services/gauntlet/config/loadConfig";
import { logDirOf, type LogConfig } from "@/node/services/gauntlet/run/logs/logDir";
import { formatDiagnostic } from "@/node/services/gauntlet/config/source/formatDiagnostic";
import { shownCommand } from "@/common/ownCommandName";
import { NO_CONFIG } from "@/node/services/gauntlet/messages/shared";
import { describeLock, inspectLock } from "@/node/services/gauntlet/state/lock/RunLock";
import { currentProcess } from "@/node/services/gauntlet/state/lock/processIdentity";

/** A project folder, and the runtime that accesses it. */
export interface Project {
  readonly runtime: HookRuntime;
  /** Absolute. */
  readonly dir: string;
}

/** A project and its folder for the files of runs. */
export interface LogPlace extends Project {
  /** Absolute. */
  readonly logDir: string;
}

export interface ConfiguredProject extends LogPlace {
  readonly config: configs.GauntletConfig;
}

export interface PlaceOption {
  /** `ssh://[user@]host[:port]/path`, instead of the current folder. */
  readonly workspace?: string;
}

/**
 * Runs an action in the project, even if its configuration is invalid. Reports a missing project instead, unless
 * `whenNone` returns an exit code.
 */
export async function withProject(
  context: CliContext,
  act: (project: Project) => Promise<ExitCode>,
  { workspace }: PlaceOption = {},
  whenNone?: (folder: Project) => Promise<ExitCode> | undefined
): Promise<ExitCode> {
  const find = async (runtime: HookRuntime, folder: string): Promise<ExitCode> => {
    const reads = new ConnectedReads(runtime);
    const dir = await findGauntletProject(reads, folder);
    if (reads.lost !== undefined) return printError(context, reads.lost.message);
    if (dir !== undefined) return await act({ runtime, dir });
    const none = { runtime, dir: folder };
    return await (whenNone?.(none) ?? printNoProject(context, none));
  };
  const { cwd, env } = context;
  if (workspace === undefined) return await find(new FastStartRuntime({ env }), cwd);
  const { withRemoteWorkspace } = await import("@/cli/remoteWorkspace");
  return await withRemoteWorkspace(workspace, context, ({ runtime, projectDir }) =>
    find(runtime, projectDir)
  );
}

/** Runs an action in the project with its configuration. Reports a missing or invalid configuration instead. */
export async function inProject(
  context: CliContext,
  act: (project: ConfiguredProject) => Promise<ExitCode>,
  options: PlaceOption = {}
): Promise<ExitCode> {
  const actIn = async (project: Project): Promise<ExitCode> => {
    const reads = new ConnectedReads(project.runtime);
    const loaded = await configs.loadGauntletConfig(reads, project.dir, { env: context.env });
    if (reads.lost !== undefined) return printError(context, reads.lost.message);
    if (loaded.kind === "none") return printNoProject(context, project);
    printProblems(context, loaded);
    if (loaded.kind === "invalid") return EXIT.failure;
    const { config } = loaded;
    const logDir = await logDirOf(project.runtime, project.dir, config);
    return await act({ ...project, config, logDir });
  };
  return await withProject(context, actIn, options);
}

/** Returns the part of a configuration that determines the log folder; the defaults if it is not valid. */
export function logConfigOf(loaded: configs.ConfigLoad): LogConfig {
  return loaded.kind === "valid" ? loaded.config : { logDir: undefined, entryPoints: [] };
}

/** Returns a description of the run in progress, or undefined if there is none. */
export async function runningRun({ runtime, logDir }: LogPlace): Promise<string | undefined> {
  const identity = await currentProcess(runtime.host);
  const lock = await inspectLock(runtime, logDir, identity, new Date());
  return lock.kind === "held" ? describeLock(lock.holder) : undefined;
}

/** Prints that the folder has no configuration, and how to create it. */
export function printNoProject(context: CliContext, { runtime, dir }: Project): ExitCode {
  const on = runtime.isRemote ? ` on ${visible(runtime.label)}` : "";
  const next = runtime.isRemote
    ? "in a copy of the project on this machine, and copy its .gauntlet/ to the other machine"
    : "to create it";
  return printError(
    context,
    `${NO_CONFIG} in ${visible(dir)}${on}, or in a parent folder within the same repository; run "${shownCommand()} init" ${next}`
  );
}

/** Prints the problems of the configuration on standard error, for commands other than `validate`. */
export function printProblems(
  context: CliContext,
  { kind, problems }: Exclude<configs.ConfigLoad, { kind: "none" }>
): void {
  for (const problem of problems) context.stderr.write(`${plainText(formatDiagnostic(problem))}\n`);
  if (kind === "valid") return;
  const errors = problems.filter(({ severity }) => severity === "error").length;
  printError(
    context,
    `the configuration has ${plural(errors, "error")}; correct the configuration and try again`
  );
}
