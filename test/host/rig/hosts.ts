/** The hosts for the scenarios: those of the test-bed, or the real one that `MUX_DIST` names. */
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { findHostBuild, type HostBuild } from "@/cli/mux/inspectBuild";
import { buildBed, bundleBed, MUX_VERSIONS, type MuxVersion } from "@test/host/rig/buildBed";

export interface Host {
  readonly name: string;
  /**
   * Puts the host into `folder`, unless it is already built elsewhere.
   *
   * @returns the path of its `dist`, or of the single file of a bundle
   */
  readonly provide: (folder: string) => Promise<string>;
  /** Whether it is one minified file, which only has the server. */
  readonly isBundle: boolean;
  /** Whether a sub-agent reports with a tool, not by the end of its turn. */
  readonly reportsByTool: boolean;
  /** Whether it stores for each project whether the user trusts it. */
  readonly knowsTrust: boolean;
  /** Whether it compacts and retries by itself. Older hosts leave that to their user interface. */
  readonly looksAfterItself: boolean;
  /** Whether a goal starts further turns. */
  readonly knowsGoals: boolean;
  /** Whether an agent can delegate work to a workspace. */
  readonly delegates: boolean;
  /** Whether `mux run` prepares a workspace on another machine. */
  readonly runsRemotely: boolean;
  /** Whether `mux acp` serves editors. */
  readonly servesEditors: boolean;
}

const real = process.env.MUX_DIST;

export const hosts: readonly Host[] =
  real === undefined
    ? [...MUX_VERSIONS.map(bed), bundledBed("0.28")]
    : [await built(resolve(real))];

/** The hosts that have all commands. */
export const wholeHosts = hosts.filter(({ isBundle }) => !isBundle);

/** A list of the newest of them, for behavior of the engine that does not depend on the host. */
export const newestHost = wholeHosts.slice(-1);

/** The hosts without the bundle of the test-bed, which has the code of another one. */
export const distinctHosts = real === undefined ? wholeHosts : hosts;

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
    // The test-bed does not implement goals.
    knowsGoals: false,
    delegates: version === "0.28",
    runsRemotely: true,
    servesEditors: version === "0.28",
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
  };
}

function knowsTrust(path: string, { isBundle, distDir }: HostBuild): boolean {
  return isBundle
    ? readFileSync(path).includes("isProjectTrusted")
    : existsSync(join(distDir, "node/utils/projectTrust.js"));
}
