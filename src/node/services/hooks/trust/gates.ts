/** The trusted files of the gauntlet, for commands that run gates without the other hooks (G24a, H31). */
import type { Result } from "neverthrow";
import { NO_DEFINITIONS, type Definitions } from "@/node/services/hooks/settings/definitions";
import {
  changeTrustRecord,
  readTrustRecord,
  type TrustRecord,
  type TrustStore,
} from "@/node/services/hooks/trust/file";
import { folderOf, GAUNTLET, withLast } from "@/node/services/hooks/trust/store";

export type GateFiles = Definitions["builtins"][string]["files"];

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

/** @param names of the project, that of its main checkout included */
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
  return await changeTrustRecord(store, ({ projects, never, waiting, ...record }) => {
    const sets = projects[name] ?? [];
    const { builtins, ...hooks } = sets.at(-1)?.definitions ?? NO_DEFINITIONS;
    const definitions = { ...hooks, builtins: { ...builtins, [GAUNTLET]: { dir: "", files } } };
    const added = withLast(sets, { trustedAt: now.toISOString(), definitions });
    return {
      gatesSince: now.toISOString(),
      ...record,
      projects: { ...projects, [name]: added },
      never: without(never, name),
      waiting: without(waiting, name),
    };
  });
}

/** Records that the gates of a project shall not run, and discards the trust in it. */
export async function refuseGates(store: TrustStore, name: string): Promise<Result<void, string>> {
  return await changeTrustRecord(store, ({ projects, never, waiting, ...record }) => {
    const { [name]: _, ...others } = projects;
    return {
      ...record,
      projects: others,
      never: [...without(never, name), name],
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

/** Records that a stop of the project was not checked. Fails silently: the user is told at the next one again. */
export async function noteWaiting(store: TrustStore, name: string, now: Date): Promise<void> {
  const read = await readTrustRecord(store);
  if (read.isErr() || read.value.waiting?.includes(name) === true) return;
  await changeTrustRecord(store, ({ waiting, ...record }) => ({
    gatesSince: now.toISOString(),
    ...record,
    waiting: [...without(waiting, name), name].slice(-MAX_WAITING),
  }));
}

function without(names: readonly string[] | undefined, name: string): string[] {
  return (names ?? []).filter((each) => each !== name);
}
