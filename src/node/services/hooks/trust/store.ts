/** Decides by the definitions that the user has trusted (H31, H32). Runs nothing. */
import { posix } from "node:path";
import type { Result } from "neverthrow";
import { plural } from "@/common/text";
import {
  areEqual,
  changedFiles,
  isNothing,
  listFiles,
  type Definitions,
} from "@/node/services/hooks/settings/definitions";
import {
  changeProjects,
  readProjects,
  type TrustedProjects,
  type TrustedSet,
  type TrustStore,
} from "@/node/services/hooks/trust/file";
import type {
  TrustDecision,
  TrustPolicy,
  TrustRequest,
} from "@/node/services/hooks/trust/trustPolicy";

/** Maximum number of sets of definitions per project. Branches and worktrees differ. */
const MAX_SETS = 20;

export interface StoredTrustOptions extends TrustStore {
  readonly env: Readonly<NodeJS.ProcessEnv>;
  /** The project that a checkout without a record of its own belongs to. */
  readonly projectPath?: string;
  /** Records the first definitions of a project without a prompt, because its host has already prompted the user. */
  readonly recordsFirst?: boolean;
}

/**
 * Returns a policy that lets recorded definitions run. If the checkout has others, those that ran last continue to run.
 * `MUX_HOOKS_TRUST=always` skips the check. Each decision reads the store, in addition to the cost of loading.
 */
export function storedTrust(options: StoredTrustOptions): TrustPolicy {
  return {
    decide: async (request) => {
      if (options.env.MUX_HOOKS_TRUST === "always") return { trusted: true };
      const read = await readProjects(options);
      if (read.isErr()) return untrusted(request, read.error);
      return await decide(request, read.value, options);
    },
  };
}

/** Trusts the definitions of the request from the next message on; `only` forgets all others. */
export async function recordTrust(
  store: TrustStore,
  { projectDir, definitions }: Pick<TrustRequest, "projectDir" | "definitions">,
  now: Date,
  { only = false }: { readonly only?: boolean } = {}
): Promise<Result<void, string>> {
  const set = { trustedAt: now.toISOString(), definitions };
  return await changeProjects(store, (projects) => ({
    ...projects,
    [projectDir]: only ? [set] : withLast(projects[projectDir] ?? [], set),
  }));
}

/** Forgets a project, and returns whether it was on record. */
export async function revokeTrust(
  store: TrustStore,
  projectDir: string
): Promise<Result<boolean, string>> {
  let isKnown = false;
  const changed = await changeProjects(store, ({ [projectDir]: recorded, ...projects }) => {
    isKnown = recorded !== undefined;
    return isKnown ? projects : undefined;
  });
  return changed.map(() => isKnown);
}

/** Returns the definitions of a project that ran or were trusted last. */
export async function lastTrusted(
  store: TrustStore,
  projectDir: string
): Promise<Result<Definitions | undefined, string>> {
  const read = await readProjects(store);
  return read.map((projects) => projects[projectDir]?.at(-1)?.definitions);
}

async function decide(
  request: TrustRequest,
  projects: TrustedProjects,
  options: StoredTrustOptions
): Promise<TrustDecision> {
  const { projectDir, definitions, purpose } = request;
  const names = [projectDir, ...(options.projectPath === undefined ? [] : [options.projectPath])];
  const name = names.find((each) => projects[each] !== undefined) ?? projectDir;
  const sets = projects[name];
  if (sets === undefined) {
    if (isNothing(definitions)) return { trusted: true };
    if (options.recordsFirst !== true) return untrusted(request, "it has not been trusted");
    return await recordFirst(request, options);
  }
  const last = sets.at(-1);
  if (last === undefined) {
    if (options.recordsFirst === true) return await recordFirst(request, options);
    return untrusted(request, "an older version trusted it, which did not record what it trusted");
  }
  if (areEqual(last.definitions, definitions)) return { trusted: true, isRecorded: true };
  const known = sets.find((set) => areEqual(set.definitions, definitions));
  if (known === undefined) return goOn(request, last);
  if (purpose === "restart") return { ...goOn(request, last), notice: RESTARTED };
  if (purpose === "look") return { trusted: true, isRecorded: true };
  return await adopt(options, name, known, last);
}

const RESTARTED =
  "the host was restarted within this turn, so the project's hooks that ran last go on to run until your next message";

async function recordFirst(
  request: TrustRequest,
  options: StoredTrustOptions
): Promise<TrustDecision> {
  if (request.purpose === "look") return { trusted: true };
  const recorded = await recordTrust(options, request, new Date());
  return recorded.match(
    () => ({ trusted: true, isRecorded: true }) as const,
    (notice) => ({ trusted: true, notice }) as const
  );
}

/** Decides for the definitions that ran last, which count until the user has reviewed the others. */
function goOn({ projectDir, definitions }: TrustRequest, { definitions: instead }: TrustedSet) {
  const names = listFiles(changedFiles(instead, definitions));
  const command = posix.isAbsolute(projectDir)
    ? `in ${projectDir}, "mux-hooks trust"`
    : `"mux-hooks trust --workspace ${projectDir}"`;
  const notice = `${names}: not as it was trusted, so the project's hooks run as they ran last; ${command} shows the difference and records it`;
  return { trusted: true, isRecorded: true, instead, notice } as const;
}

/** Decides for trusted definitions other than those that ran last, as on another branch. */
async function adopt(
  store: TrustStore,
  name: string,
  known: TrustedSet,
  last: TrustedSet
): Promise<TrustDecision> {
  const names = listFiles(changedFiles(last.definitions, known.definitions));
  const notice = `${names}: not as it ran last; these definitions are trusted as well, and count from now on`;
  const changed = await changeProjects(store, (projects) => ({
    ...projects,
    [name]: withLast(projects[name] ?? [], known),
  }));
  return { trusted: true, isRecorded: true, notice: changed.isErr() ? changed.error : notice };
}

function withLast(sets: readonly TrustedSet[], last: TrustedSet): TrustedSet[] {
  const others = sets.filter(({ definitions }) => !areEqual(definitions, last.definitions));
  return [...others, last].slice(-MAX_SETS);
}

function untrusted({ projectDir, items }: TrustRequest, why: string): TrustDecision {
  const what =
    items.length === 0
      ? "the hook settings of this project do not count"
      : `${plural(items.length, "hook")} of this project ${items.length === 1 ? "does" : "do"} not run`;
  const trust = "mux-hooks trust";
  const how = posix.isAbsolute(projectDir)
    ? `in ${projectDir}, "${trust} --show" lists what would run and "${trust}" allows it`
    : `"${trust} --show --workspace ${projectDir}" lists what would run, and without --show allows it`;
  return { trusted: false, message: `${what}: ${why}; ${how}` };
}
