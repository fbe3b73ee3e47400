import { findOnPath } from "@/node/runtime/process/findOnPath";
import { withoutPackageRunners } from "@/cli/ownCommands";
import { posix } from "node:path";
import { proposeChecks } from "@/cli/gauntlet/init/detect/proposeChecks";
import type { CheckProposal } from "@/cli/gauntlet/init/detect/types";
import { configFiles, type FirstCheck, type NewFile } from "@/cli/gauntlet/init/firstConfig";
import type { HookHost } from "@/cli/gauntlet/hosts/types";
import {
  findHost,
  HOOK_HOSTS,
  preselect,
  type HostPresence,
} from "@/cli/gauntlet/init/hooks/hookHosts";
import type { InitPlace, InstallPlan, PlanOptions } from "@/cli/gauntlet/init/hooks/hookPlan";
import { planHook } from "@/cli/gauntlet/init/hooks/planHook";
import type { Trial } from "@/cli/gauntlet/init/trial/tryChecks";
import { CONFIG_FILE } from "@/node/services/gauntlet/config/configPaths";
import { findBaseBranch } from "@/node/services/gauntlet/run/changes/repositoryFacts";

export interface PlannedHost {
  readonly host: HookHost;
  readonly plan: InstallPlan;
}

export interface FoundHost extends HostPresence {
  readonly host: HookHost;
}

/** What `init` can do in a project. Nothing has been written or run. */
export class InitPlan {
  private constructor(
    readonly place: InitPlace,
    /** False if the project has a configuration, which is never changed. */
    readonly isNew: boolean,
    /** Checks whose program exists. */
    readonly checks: readonly CheckProposal[],
    /** Checks whose program does not exist. */
    readonly unavailable: readonly CheckProposal[],
    /** All hosts, with their presence on this machine and in the project. */
    readonly hosts: readonly FoundHost[],
    private readonly globalDependencies: readonly string[],
    private readonly baseBranch: string | undefined
  ) {}

  static async create(place: InitPlace): Promise<InitPlan> {
    const { runtime, projectDir } = place;
    const [stat] = await runtime.stat([posix.join(projectDir, CONFIG_FILE)]);
    const isNew = stat?.kind === "missing";
    const { checks, globalDependencies } = isNew
      ? await proposeChecks(runtime, projectDir)
      : { checks: [], globalDependencies: [] };
    const available = await withProgram(checks, place);
    const hosts = await Promise.all(
      HOOK_HOSTS.map(async (host) => ({ host, ...(await findHost(host, place)) }))
    );
    return new InitPlan(
      place,
      isNew,
      checks.filter(({ name }) => available.has(name)),
      checks.filter(({ name }) => !available.has(name)),
      hosts,
      globalDependencies,
      isNew ? await findBaseBranch(runtime, projectDir) : undefined
    );
  }

  /** Returns the names of the hosts whose hook is installed, or else those that the project uses. */
  async installedHosts(): Promise<string[]> {
    // Together, one would count as the hook of another.
    const alone = this.hosts.map(({ host }) => this.planHooks(new Set([host.name]), {}));
    const installed = (await Promise.all(alone))
      .flat()
      .filter(({ plan }) => plan.installedAt !== undefined);
    const hosts = installed.length > 0 ? installed.map(({ host }) => host) : preselect(this.hosts);
    return hosts.map(({ name }) => name);
  }

  /** Plans the hooks of these hosts together: one may make another superfluous. */
  async planHooks(
    names: ReadonlySet<string>,
    { shared, limit }: Pick<PlanOptions, "shared" | "limit">
  ): Promise<PlannedHost[]> {
    const chosen = this.hosts.filter(({ host }) => names.has(host.name));
    const options = { shared, limit, hosts: [...names] };
    return await Promise.all(
      chosen.map(async ({ host }) => ({ host, plan: await planHook(host, this.place, options) }))
    );
  }

  /** Returns the files of the configuration with these checks; none if the project has one. */
  configFiles(
    selected: ReadonlySet<string>,
    trials: ReadonlyMap<string, Trial>,
    now: Date
  ): NewFile[] {
    if (!this.isNew) return [];
    const checks = this.checks
      .filter(({ name }) => selected.has(name) && isUsable(trials.get(name)))
      .map((check): FirstCheck => ({ ...check, trial: trials.get(check.name) }));
    const { globalDependencies, baseBranch } = this;
    return configFiles({ checks, globalDependencies, baseBranch }, now);
  }
}

function isUsable(trial: Trial | undefined): boolean {
  return trial === undefined || !["notFound", "changesFiles", "watches"].includes(trial.kind);
}

/** Returns the names of the checks whose program exists: in the folder of the check, or on PATH. */
async function withProgram(
  checks: readonly CheckProposal[],
  { projectDir, runtime, env }: InitPlace
): Promise<ReadonlySet<string>> {
  const path = withoutPackageRunners(env.PATH ?? "");
  const found = await Promise.all(
    checks.map(async ({ program, folder }) => {
      if (!program.includes("/")) return (await findOnPath(program, path)) !== undefined;
      const [stat] = await runtime.stat([posix.join(projectDir, folder, program)]);
      return stat?.kind === "file" && stat.executable;
    })
  );
  return new Set(checks.filter((_, i) => found[i]).map(({ name }) => name));
}
