/**
 * Plans what `init` can do in a project, and writes nothing: the checks to propose (those whose program exists and that
 * the configuration does not have), the files of the configuration and their JSON Schemas for editors, the hooks, and
 * the note for agents. A proposed test or type check gets a `when`, so that it does not run if only texts changed,
 * unless code mentions texts.
 */
import { realpath } from "node:fs/promises";
import { posix } from "node:path";
import { err, ok } from "neverthrow";
import type { HookHost } from "@/cli/gauntlet/hosts/types";
import { toolsIn } from "@/cli/gauntlet/init/detect/workflowEvidence";
import { ProjectFolder } from "@/cli/gauntlet/init/detect/ProjectFolder";
import { proposeChecks, type Proposals } from "@/cli/gauntlet/init/detect/proposeChecks";
import type { CheckProposal } from "@/cli/gauntlet/init/detect/types";
import * as configText from "@/cli/gauntlet/init/configText";
import { planNote } from "@/cli/gauntlet/init/agentNote";
import {
  findHost,
  HOOK_HOSTS,
  preselect,
  type HostPresence,
} from "@/cli/gauntlet/init/hooks/hookHosts";
import { PACKAGE_NAME } from "@/cli/gauntlet/init/hooks/hookProgram";
import { statusOf } from "@/cli/gauntlet/init/hooks/InstalledHooks";
import { planHook, type InstallPlan, type PlanOptions } from "@/cli/gauntlet/init/hooks/planHook";
import type { InitPlace } from "@/cli/gauntlet/init/targetProject";
import type { Trial } from "@/cli/gauntlet/init/tryChecks";
import { withoutPackageRunners } from "@/cli/findOwnCommand";
import type { SettingsEdit } from "@/cli/settingsFile";
import { fileDiagnostic } from "@/common/diagnostics";
import { findOnPath } from "@/node/runtime/process/startFailure";
import { execGit } from "@/node/services/gauntlet/change/git/runGit";
import { CONFIG_FILE, EXAMPLE_CHECK } from "@/node/services/gauntlet/config/configPaths";
import { findBaseBranch } from "@/node/services/gauntlet/change/git/initFacts";
import type { GateDefinition } from "@/node/services/gauntlet/domain/gate";
import { loadGauntletConfig } from "@/node/services/gauntlet/config/loadConfig";

export interface PlannedHost {
  readonly host: HookHost;
  readonly plan: InstallPlan;
}

/** The steps that `init` can take in a project. It writes no file and runs no check. */
export class InitPlan {
  private constructor(
    readonly place: InitPlace,
    /** False if the project has a configuration, to which only new checks are added. */
    readonly isNew: boolean,
    /** Checks whose program exists and that the project does not have, and what is left out. */
    private readonly proposed: Proposals,
    /** All hosts, with their presence on this machine and in the project. */
    readonly hosts: readonly (HostPresence & { readonly host: HookHost })[],
    readonly schemas: Schemas | undefined,
    /** Adds a line for agents to AGENTS.md or CLAUDE.md. Absent if it is not needed. */
    readonly note: SettingsEdit | undefined,
    private readonly baseBranch: string | undefined,
    /** The names of the gates that the project has, without the example. */
    private readonly gates: readonly string[]
  ) {}

  static async create(place: InitPlace): Promise<InitPlan> {
    const { runtime, projectDir } = place;
    const [stat] = await runtime.stat([posix.join(projectDir, CONFIG_FILE)]);
    const isNew = stat?.kind === "missing";
    const folder = await ProjectFolder.open(runtime, projectDir);
    const proposed = await proposeChecks(folder);
    const loaded = isNew ? undefined : await loadGauntletConfig(runtime, projectDir);
    const config = loaded?.kind === "valid" ? loaded.config : undefined;
    const gates = config?.entryPoints.flatMap((entry) => entry.gates) ?? [];
    const known = config === undefined ? [] : await newChecks(proposed.checks, folder, gates);
    const wanted = isNew ? proposed.checks : known;
    const available = await withProgram(wanted, place);
    const missing = wanted.filter((check) => !available.has(check));
    const checks = await withWhen([...available], folder, place);
    const leftOut = [
      ...(isNew ? proposed.leftOut : []),
      ...missing.map(({ command, reason, program }) => {
        const why = `${program} was not found; install it and run init again`;
        return { command, reason, why };
      }),
    ];
    const hosts = await Promise.all(
      HOOK_HOSTS.map(async (host) => ({ host, ...(await findHost(host, place)) }))
    );
    const baseBranch = isNew ? await findBaseBranch(runtime, projectDir) : undefined;
    const proposals = { ...proposed, checks, leftOut };
    const schemas = await findSchemas(place);
    const note = await planNote(place, schemas?.copied.length === 0);
    const names = [...new Set(gates.map(({ name }) => name))].filter(
      (name) => name !== EXAMPLE_CHECK
    );
    return new InitPlan(place, isNew, proposals, hosts, schemas, note, baseBranch, names);
  }

  get checks(): Proposals["checks"] {
    return this.proposed.checks;
  }

  get leftOut(): Proposals["leftOut"] {
    return this.proposed.leftOut;
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

  /**
   * Plans the hooks of these hosts together: one may make another superfluous.
   *
   * @param added the checks that the configuration gets; absent if nothing is known about it
   */
  async planHooks(
    names: ReadonlySet<string>,
    { shared, limit }: PlanOptions,
    added?: readonly configText.FirstCheck[]
  ): Promise<PlannedHost[]> {
    const chosen = this.hosts.filter(({ host }) => names.has(host.name));
    const gates = added && [...this.gates, ...added.map(({ name }) => name)];
    const options = { shared, limit, hosts: [...names], status: gates && statusOf(gates) };
    return await Promise.all(
      chosen.map(async ({ host }) => ({ host, plan: await planHook(host, this.place, options) }))
    );
  }

  /** Returns the checks to write: the selected ones, without those that turned out to be unusable in their trial. */
  chosen(
    selected: ReadonlySet<string>,
    trials: ReadonlyMap<string, Trial>
  ): configText.FirstCheck[] {
    const unusable = ["notFound", "changesFiles", "watches"];
    return this.checks
      .filter(({ name }) => selected.has(name) && !unusable.includes(trials.get(name)?.kind ?? ""))
      .map((check): configText.FirstCheck => ({ ...check, trial: trials.get(check.name) }));
  }

  /** Returns the files of the configuration with these checks; of one that exists, only new files of checks. */
  configFiles(checks: readonly configText.FirstCheck[], now: Date): configText.NewFile[] {
    const { baseBranch } = this;
    const { globalDependencies } = this.proposed;
    const config = { checks, globalDependencies, baseBranch, schemas: this.schemas?.folder };
    return this.isNew ? configText.configFiles(config, now) : configText.checkFiles(config, now);
  }

  /** Returns the edit of a configuration that exists; undefined if there is nothing to add. */
  configEdit(checks: readonly configText.FirstCheck[], now: Date): SettingsEdit | undefined {
    if (this.isNew || checks.length === 0) return undefined;
    const path = posix.join(this.place.projectDir, CONFIG_FILE);
    const edit: SettingsEdit["edit"] = (file, source) => {
      const text = configText.addChecks(source, checks, now);
      if (text !== undefined) return ok(text);
      const lines = configText.insertChecks("", checks, now).trim();
      const message = `init cannot add to its form; add this by hand:\n${lines}`;
      return err(fileDiagnostic("error", file, message));
    };
    return { path, edit, isShared: true };
  }
}

/** The place where editors find the JSON Schemas of the configuration. */
export interface Schemas {
  /** Relative to the project. */
  readonly folder: string;
  /** The files to copy to that folder, absolute. */
  readonly copied: readonly string[];
}

const SCHEMA_FILES = ["gauntlet-config.schema.json", "gauntlet-check.schema.json"];

/** Returns a folder that needs no path of this machine: that of the installed package, else one in the git folder. */
async function findSchemas(place: InitPlace): Promise<Schemas | undefined> {
  const { runtime, projectDir, program } = place;
  const installed = `node_modules/${PACKAGE_NAME}/schemas`;
  const own = await realpath(program).catch(() => program);
  const files = SCHEMA_FILES.map((name) => posix.join(posix.dirname(own), "../schemas", name));
  const folders = [installed, ".git"].map((name) => posix.join(projectDir, name));
  const [inProject, git, source] = await runtime.stat([...folders, ...files]);
  if (inProject?.kind === "directory") return { folder: installed, copied: [] };
  const canCopy = git?.kind === "directory" && source?.kind === "file";
  return canCopy ? { folder: ".git/agent-gauntlet", copied: files } : undefined;
}

/** Returns the proposals that no check of the configuration covers, with unique names. None is selected. */
async function newChecks(
  proposed: readonly CheckProposal[],
  folder: ProjectFolder,
  gates: readonly GateDefinition[]
): Promise<CheckProposal[]> {
  const checks = gates.filter((gate) => gate.kind === "check");
  const commands = checks.flatMap(({ command, full = command }) => [command, full]);
  const tools = new Set(commands.flatMap(toolsIn));
  const names = new Set(gates.map(({ name }) => name));
  const found: CheckProposal[] = [];
  for (const check of proposed) {
    const texts = await folder.textsOf(check.written?.command ?? check.command, check.folder);
    // A script that runs one tool is that tool.
    const own = texts.map(toolsIn).filter((all, i) => i === 0 || all.length === 1);
    const isThere = commands.includes(check.command) || own.flat().some((tool) => tools.has(tool));
    if (isThere) continue;
    let { name } = check;
    for (let nth = 2; names.has(name); nth++) name = `${check.name}-${nth}`;
    names.add(name);
    found.push({ ...check, name, isPreselected: false });
  }
  return found;
}

const TEXT_NAMES = "readme|changelog|\\.(md|rst)\\b";
/** Files that mention such names although no test reads them: of packages, of git, and lists of ignored files. */
const NOT_CODE =
  "*.md *.rst docs/* doc/* mkdocs.y*ml .git* .*ignore .gauntlet/* .changeset/* *.lock *package-lock.json *pnpm-lock.yaml *package.json Cargo.toml setup.py MANIFEST.in *.editorconfig *.prettierrc* *.markdownlint* .vscode/* .pre-commit-config.y*ml *Dockerfile";
/** Manifests that may also have the settings of a test runner. */
const MANIFESTS = ["pyproject.toml", "setup.cfg"];
/** Matches the lines of a manifest that only describe the package. */
const METADATA = "^ *(\\[.*readme|(dynamic|file|readme|(long_)?description[a-z_-]*) *=)|://";

/**
 * Adds `when` to tests and type checks, so that a change of text files alone does not run them, unless some code, the
 * settings of a test runner or their command mention such a file.
 */
async function withWhen(
  checks: readonly CheckProposal[],
  folder: ProjectFolder,
  { runtime, projectDir: cwd }: InitPlace
): Promise<readonly CheckProposal[]> {
  const globs = ["md", "rst"].filter((end) => folder.match(new RegExp(`\\.${end}$`)) !== undefined);
  if (globs.length === 0) return checks;
  const except = [...NOT_CODE.split(" "), ...MANIFESTS].map((path) => `:(exclude)${path}`);
  const code = ["--", ".", ...except];
  for (const more of [code, ["--and", "--not", "-e", METADATA, "--", ...MANIFESTS]]) {
    const args = ["grep", "-qIiE", "--untracked", "-e", TEXT_NAMES, ...more];
    const grep = await execGit(runtime, { cwd, args });
    // It exits with 1 if no file matches.
    if (grep.isErr() || grep.value.code !== 1) return checks;
  }
  return await Promise.all(
    checks.map(async (check) => {
      const texts = await folder.textsOf(check.command, check.folder);
      const needsCode = check.kind === "test" || check.kind === "types";
      const isRead = texts.some((text) => new RegExp(TEXT_NAMES, "i").test(text));
      if (!needsCode || isRead || !configText.isOfRoot(check)) return check;
      return { ...check, written: { ...check.written, when: globs.map((end) => `!*.${end}`) } };
    })
  );
}

/** Returns the checks whose program exists: in the folder of the check, or on PATH. */
async function withProgram(
  checks: readonly CheckProposal[],
  { projectDir, runtime, env }: InitPlace
): Promise<ReadonlySet<CheckProposal>> {
  const path = withoutPackageRunners(env.PATH ?? "");
  const found = await Promise.all(
    checks.map(async ({ program, folder }) => {
      if (!program.includes("/")) return (await findOnPath(program, path)) !== undefined;
      const [stat] = await runtime.stat([posix.resolve(projectDir, folder, program)]);
      return stat?.kind === "file" && stat.executable;
    })
  );
  return new Set(checks.filter((_, i) => found[i]));
}
