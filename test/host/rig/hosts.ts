/** The hosts that the scenarios run in: those of the test-bed, or the real one that `MUX_DIST` names. */
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { findHostBuild, type HostBuild } from "@/cli/mux/hostBuild";
import { buildBed, bundleBed, MUX_VERSIONS, type MuxVersion } from "@test/host/rig/buildBed";

export interface Host {
  readonly name: string;
  /**
   * Puts the host where `folder` is, if it is not somewhere already.
   *
   * @returns the path of its `dist`, or of the one file that it is
   */
  readonly provide: (folder: string) => Promise<string>;
  /** It is one minified file, which serves and has no other command. */
  readonly isBundle: boolean;
  /** A sub-agent reports with a tool of its own, and not by the end of its turn. */
  readonly reportsByTool: boolean;
  /** It knows of each project whether it is trusted. */
  readonly knowsTrust: boolean;
  /** It sums its history up and tries again by itself, where older ones leave that to their user interface. */
  readonly looksAfterItself: boolean;
  /** A goal keeps its agent going. */
  readonly knowsGoals: boolean;
  /** An agent can delegate work to a workspace. */
  readonly delegates: boolean;
  /** `mux run` prepares a workspace on another machine. */
  readonly runsRemotely: boolean;
  /** `mux acp` serves editors. */
  readonly servesEditors: boolean;
  /** What a sub-agent said last is its report where it makes none. */
  readonly reportsLastWords: boolean;
}

const real = process.env.MUX_DIST;

export const hosts: readonly Host[] =
  real === undefined
    ? [...MUX_VERSIONS.map(bed), bundledBed("0.28")]
    : [await built(resolve(real))];

/** Those with all commands. */
export const wholeHosts = hosts.filter(({ isBundle }) => !isBundle);

export function bed(version: MuxVersion): Host {
  return {
    name: `a host like Mux ${version}`,
    provide: async (folder) => {
      await buildBed(folder, version);
      return join(folder, "dist");
    },
    isBundle: false,
    reportsByTool: version === "0.14",
    knowsTrust: version === "0.28",
    looksAfterItself: version === "0.28",
    // Theirs is too much to have here.
    knowsGoals: false,
    delegates: version === "0.28",
    runsRemotely: true,
    servesEditors: version === "0.28",
    reportsLastWords: version === "0.14",
  };
}

function bundledBed(version: MuxVersion): Host {
  return {
    ...bed(version),
    name: `a bundled host like Mux ${version}`,
    provide: (folder) => bundleBed(folder, version),
    isBundle: true,
  };
}

async function built(path: string): Promise<Host> {
  const build = await findHostBuild(path);
  if (build === undefined) throw new Error(`There is no built Mux in ${path}.`);
  const { name, version, isBundle, distDir } = build;
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  const has = (word: string, file: string): boolean => {
    const code = isBundle ? path : join(distDir, file);
    return existsSync(code) && readFileSync(code).includes(word);
  };
  return {
    name: `${name} ${version}${isBundle ? " in one file" : ""}`,
    provide: () => Promise.resolve(isBundle ? path : distDir),
    isBundle,
    reportsByTool: major * 1e6 + minor * 1e3 + patch < 28_001,
    knowsTrust: knowsTrust(path, build),
    looksAfterItself: has("auto-compaction-triggered", "node/services/compactionMonitor.js"),
    knowsGoals: has("goal_continuation", "node/services/workspaceGoalService.js"),
    delegates: has("workspace-turn-task", "node/services/taskService.js"),
    runsRemotely: has("srcBaseDir.startsWith", "cli/run.js"),
    servesEditors: !isBundle && existsSync(join(distDir, "node/acp/agent.js")),
    reportsLastWords: has("fallbackReportMissingAgentReport", "node/services/taskService.js"),
  };
}

function knowsTrust(path: string, { isBundle, distDir }: HostBuild): boolean {
  return isBundle
    ? readFileSync(path).includes("isProjectTrusted")
    : existsSync(join(distDir, "node/utils/projectTrust.js"));
}
