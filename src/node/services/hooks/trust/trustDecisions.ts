/**
 * Decides by the user's record which definitions of a checkout may run: recorded ones, or in place of changed ones
 * those that ran last. Records, revokes or refuses the trust in its hooks and its gates, and records the projects whose
 * stops were not checked because nothing was trusted (H31, G24a).
 */
import { posix } from "node:path";
import type { Result } from "neverthrow";
import * as snapshots from "@/node/services/hooks/settings/hookDefinitions";
import {
  changeTrustRecord,
  readTrustRecord,
  type TrustedProjects,
  type TrustedSet,
  type TrustRecord,
  type TrustStore,
} from "@/node/services/hooks/trust/trustRecord";
import type * as trustTypes from "@/node/services/hooks/trust/trustPolicy";
import { skipsTrust } from "@/node/services/hooks/trust/trustVariable";
import { NOT_TRUSTED } from "@/node/services/hooks/messages/shared";
import { shownCommand } from "@/common/ownCommandName";
import { commandWord } from "@/common/safeText";

/** Maximum number of sets of definitions per project. Branches and worktrees differ. */
const MAX_SETS = 20;

export interface StoredTrustOptions extends TrustStore {
  readonly env: Readonly<NodeJS.ProcessEnv>;
  /** Returns the project that a checkout without a record of its own belongs to, by its name in the record. */
  readonly findProject?: () => Promise<string | undefined>;
  /** Records the first definitions of a project without a prompt, because its host has already prompted the user. */
  readonly recordsFirst?: boolean;
  /** The project on this machine, whose trust also counts for a checkout that `--workspace` cannot name. */
  readonly localProject?: string | undefined;
}

/**
 * Returns a policy that lets recorded definitions run. If the checkout has others, those that ran last continue to run.
 * `MUX_HOOKS_TRUST=always` skips the check. Each decision reads the store, in addition to the cost of loading.
 */
export function storedTrust(options: StoredTrustOptions): trustTypes.TrustPolicy {
  return {
    decide: async (request) => {
      if (skipsTrust(options.env)) return { trusted: true };
      const read = await readTrustRecord(options);
      if (read.isErr()) return refuse(request, read.error, options);
      const { projects, never = [] } = read.value;
      if (never.length === 0) return await decide(request, projects, options);
      const allowed = await withoutRefused(request, never, options);
      if (allowed === request) return await decide(request, projects, options);
      const { definitions: instead } = allowed;
      // The user wants no message about these gates.
      if (snapshots.isNothing(instead)) return { trusted: true, instead };
      const decision = await decide(allowed, projects, options);
      return decision.trusted ? { instead, ...decision } : decision;
    },
  };
}

/** Returns the request without gates that the user has decided not to run (G24a). */
async function withoutRefused(
  request: trustTypes.TrustRequest,
  never: readonly string[],
  { findProject, localProject }: StoredTrustOptions
): Promise<trustTypes.TrustRequest> {
  const { projectDir, definitions } = request;
  const { [GAUNTLET]: gates, ...builtins } = definitions.builtins;
  if (gates === undefined) return request;
  const others = [await findProject?.(), localProject];
  const names = [projectDir, ...others.filter((name) => name !== undefined)];
  if (!names.some((name) => never.includes(folderOf(name, gates.dir)))) return request;
  const items = request.items.filter(({ origin }) => !origin.startsWith(".gauntlet/"));
  return { ...request, items, definitions: { ...definitions, builtins } };
}

/** The name under which definitions have the gates. */
const GAUNTLET = "gauntlet";

/** Returns the folder of gates: the hooks of the project may be configured in a folder below or above it. */
function folderOf(project: string, dir: string): string {
  if (dir === "") return project;
  return project.startsWith("/") ? posix.join(project, dir) : `${project}/${dir}`;
}

/** Trusts the definitions of the request from the next message on; `only` removes all others from the record. */
export async function recordTrust(
  store: TrustStore,
  { projectDir, definitions }: Pick<trustTypes.TrustRequest, "projectDir" | "definitions">,
  now: Date,
  { only = false }: { readonly only?: boolean } = {}
): Promise<Result<void, string>> {
  const set = { trustedAt: now.toISOString(), definitions };
  const { [GAUNTLET]: gates } = definitions.builtins;
  const folder = gates === undefined ? "" : folderOf(projectDir, gates.dir);
  return await changeTrustRecord(store, ({ projects, never, waiting, revoked, ...record }) => ({
    ...record,
    projects: {
      ...projects,
      [projectDir]: only ? [set] : withLast(projects[projectDir] ?? [], set),
    },
    never: without(never, folder),
    waiting: without(waiting, folder),
    revoked: without(revoked, folder),
  }));
}

/**
 * Removes a project from the record, and returns whether it was there. An earlier use of its gates does not count as
 * trust any more.
 */
export async function revokeTrust(
  store: TrustStore,
  projectDir: string
): Promise<Result<boolean, string>> {
  let isKnown = false;
  const gatesSince = new Date().toISOString();
  const changed = await changeTrustRecord(store, ({ never, revoked, ...record }) => {
    const { [projectDir]: recorded, ...projects } = record.projects;
    isKnown = recorded !== undefined;
    const gates = (recorded ?? []).flatMap(
      ({ definitions: { builtins } }) => builtins[GAUNTLET] ?? []
    );
    const names = [projectDir, ...gates.map(({ dir }) => folderOf(projectDir, dir))];
    return {
      gatesSince,
      ...record,
      projects,
      never: without(never, projectDir),
      revoked: [...new Set([...(revoked ?? []), ...names])],
    };
  });
  return changed.map(() => isKnown);
}

/** Returns the definitions of a project that ran or were trusted last, or those of the project that it belongs to. */
export async function lastTrusted(
  store: TrustStore,
  projectDir: string,
  main: string | undefined
): Promise<Result<snapshots.Definitions | undefined, string>> {
  const read = await readTrustRecord(store);
  return read.map(({ projects }) => {
    const sets = projects[projectDir] ?? (main === undefined ? undefined : projects[main]);
    return sets?.at(-1)?.definitions;
  });
}

async function decide(
  request: trustTypes.TrustRequest,
  projects: TrustedProjects,
  options: StoredTrustOptions
): Promise<trustTypes.TrustDecision> {
  const { projectDir, definitions, purpose } = request;
  const main = projects[projectDir] === undefined ? await options.findProject?.() : undefined;
  const name = main !== undefined && projects[main] !== undefined ? main : projectDir;
  const sets = projects[name];
  if (sets === undefined && snapshots.isNothing(definitions)) return { trusted: true };
  const last = sets?.at(-1);
  if (sets === undefined || last === undefined) {
    if (options.recordsFirst === true) return await recordFirst(request, options);
    const why =
      sets === undefined
        ? NOT_TRUSTED
        : "the project was trusted with an older version, which did not record the definitions of its hooks";
    return refuse(request, why, options);
  }
  const record = { project: name, path: options.path };
  const onRecord = { trusted: true, isRecorded: true, record } as const;
  if (snapshots.sameDefinitions(last.definitions, definitions)) return onRecord;
  const known = [...sets, ...(projects[options.localProject ?? ""] ?? [])].find((set) =>
    snapshots.sameDefinitions(set.definitions, definitions)
  );
  if (known === undefined || purpose === "restart") {
    // Those that ran last count until the user has reviewed the others.
    const names = snapshots.listFiles(snapshots.changedFiles(last.definitions, definitions));
    const notice =
      known === undefined
        ? `${names}: changed and not trusted yet, so the hooks of the project run with the definitions that you trusted before; run ${trustCommand(projectDir, options)}${whereTo(projectDir, options)} to review and trust the change`
        : "the session was restarted during this turn, so the project's hooks run as they ran last until your next message";
    return { ...onRecord, instead: last.definitions, notice };
  }
  return purpose === "turn" ? await adopt(options, name, known, last) : onRecord;
}

async function recordFirst(
  request: trustTypes.TrustRequest,
  options: StoredTrustOptions
): Promise<trustTypes.TrustDecision> {
  if (request.purpose === "look" || request.purpose === "read") return { trusted: true };
  const recorded = await recordTrust(options, request, new Date());
  return recorded.match(
    () => ({ trusted: true, isRecorded: true }) as const,
    (notice) => ({ trusted: true, notice }) as const
  );
}

/** Decides for trusted definitions other than those that ran last, as on another branch. */
async function adopt(
  store: TrustStore,
  name: string,
  known: TrustedSet,
  last: TrustedSet
): Promise<trustTypes.TrustDecision> {
  const names = snapshots.listFiles(snapshots.changedFiles(last.definitions, known.definitions));
  const notice = `${names}: changed since the hooks ran last; you have already trusted the new definitions, which take effect now`;
  const changed = await changeTrustRecord(store, ({ projects, ...record }) => ({
    ...record,
    projects: { ...projects, [name]: withLast(projects[name] ?? [], known) },
  }));
  return { trusted: true, isRecorded: true, notice: changed.isErr() ? changed.error : notice };
}

/**
 * Moves a set to the end, or adds it there. A set that was there keeps its time, since it was trusted all along, unless
 * the clock was ahead.
 */
function withLast(sets: readonly TrustedSet[], last: TrustedSet): TrustedSet[] {
  const isLast = ({ definitions }: TrustedSet): boolean =>
    snapshots.sameDefinitions(definitions, last.definitions);
  const others = sets.filter((set) => !isLast(set));
  const before = sets.find((set) => isLast(set) && set.trustedAt <= last.trustedAt);
  return [...others, before ?? last].slice(-MAX_SETS);
}

function refuse(
  { projectDir, items: { length: count } }: trustTypes.TrustRequest,
  why: string,
  options: StoredTrustOptions
): trustTypes.TrustDecision {
  const hooks = count === 1 ? "1 hook of this project does" : `${count} hooks of this project do`;
  const what =
    count === 0 ? "the hook settings of this project have no effect" : `${hooks} not run`;
  const list = trustCommand(projectDir, options, " --show");
  const allow = trustCommand(projectDir, options);
  const next = `run ${list}${whereTo(projectDir, options)} to list what would run, and ${allow} to allow it`;
  return { trusted: false, message: `${what}: ${why}; ${next}` };
}

/** Returns the command for the trust in a project. */
function trustCommand(projectDir: string, { localProject }: StoredTrustOptions, flag = ""): string {
  const isLocal = localProject !== undefined || projectDir.startsWith("/");
  const place = isLocal ? "" : ` --workspace ${commandWord(projectDir)}`;
  return `"${shownCommand()} hooks trust${flag}${place}"`;
}

/** Returns the folder in which to run the command. */
function whereTo(projectDir: string, { localProject }: StoredTrustOptions): string {
  if (localProject !== undefined)
    return ` in ${localProject} on this machine, with the same definitions there,`;
  return projectDir.startsWith("/") ? ` in ${projectDir}` : "";
}

export type GateFiles = snapshots.Definitions["builtins"][string]["files"];

/** The files of gates that the user trusted at one time. */
export interface TrustedGates {
  readonly trustedAt: string;
  /** By path relative to the project. */
  readonly files: GateFiles;
}

export interface GatesTrust {
  /** Sorted by time, the newest last. */
  readonly sets: readonly TrustedGates[];
  /** Whether the user has decided that the gates shall not run. */
  readonly isRefused: boolean;
}

/** The maximum number of projects that `trust --all` offers. */
const MAX_WAITING = 100;

/** Returns the recorded trust in the gates of a project. @param names of the project and of its main checkout */
export function gatesTrust(record: TrustRecord, names: readonly string[]): GatesTrust {
  const sets = Object.entries(record.projects).flatMap(([project, trusted]) =>
    trusted.flatMap(({ trustedAt, definitions }) => {
      const gates = definitions.builtins[GAUNTLET];
      const isOfProject = gates !== undefined && names.includes(folderOf(project, gates.dir));
      return isOfProject ? [{ trustedAt, files: gates.files }] : [];
    })
  );
  return {
    sets: sets.sort((a, b) => Date.parse(a.trustedAt) - Date.parse(b.trustedAt)),
    isRefused: names.some((name) => record.never?.includes(name) === true),
  };
}

/** Trusts the gates, and leaves the trust in the project's hooks as it is. */
export async function trustGates(
  store: TrustStore,
  name: string,
  files: GateFiles,
  now: Date
): Promise<Result<void, string>> {
  return await changeTrustRecord(store, ({ projects, never, waiting, revoked, ...record }) => {
    const sets = projects[name] ?? [];
    const { builtins, ...hooks } = sets.at(-1)?.definitions ?? snapshots.NO_DEFINITIONS;
    const definitions = { ...hooks, builtins: { ...builtins, [GAUNTLET]: { dir: "", files } } };
    const added = withLast(sets, { trustedAt: now.toISOString(), definitions });
    return {
      gatesSince: now.toISOString(),
      ...record,
      projects: { ...projects, [name]: added },
      never: without(never, name),
      waiting: without(waiting, name),
      revoked: without(revoked, name),
    };
  });
}

/** Records that the gates of a project shall not run. Leaves the trust in its hooks as it is. */
export async function refuseGates(store: TrustStore, name: string): Promise<Result<void, string>> {
  return await changeTrustRecord(store, ({ projects, never, waiting, ...record }) => {
    const { [name]: recorded = [], ...others } = projects;
    const hooks = recorded.flatMap(({ trustedAt, definitions }) => {
      const { [GAUNTLET]: _, ...builtins } = definitions.builtins;
      const left = { ...definitions, builtins };
      return snapshots.isNothing(left) ? [] : { trustedAt, definitions: left };
    });
    return {
      ...record,
      projects: hooks.length === 0 ? others : { ...others, [name]: hooks },
      never: [...(without(never, name) ?? []), name],
      waiting: without(waiting, name),
    };
  });
}

/** Records that trust covers gates from now on, unless it does already. */
export async function beginGates(store: TrustStore, now: Date): Promise<Result<void, string>> {
  return await changeTrustRecord(store, (record) =>
    record.gatesSince === undefined ? { ...record, gatesSince: now.toISOString() } : undefined
  );
}

/** Records that a stop of the project was not checked. Fails silently: the next one shows it to the user again. */
export async function noteWaiting(store: TrustStore, name: string, now: Date): Promise<void> {
  const read = await readTrustRecord(store);
  if (read.isErr() || read.value.waiting?.includes(name) === true) return;
  await changeTrustRecord(store, ({ waiting, ...record }) => ({
    gatesSince: now.toISOString(),
    ...record,
    waiting: [...(without(waiting, name) ?? []), name].slice(-MAX_WAITING),
  }));
}

/** Removes a project from those that wait for trust. */
export async function dropWaiting(store: TrustStore, name: string): Promise<Result<void, string>> {
  return await changeTrustRecord(store, ({ waiting, ...record }) => ({
    ...record,
    waiting: without(waiting, name),
  }));
}

function without(names: readonly string[] | undefined, name: string): string[] | undefined {
  return names?.filter((each) => each !== name);
}
