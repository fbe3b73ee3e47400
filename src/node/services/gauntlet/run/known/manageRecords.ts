/**
 * For the command `known`: lists, prunes and removes a project's local and shared records of failures that are older
 * than the agent's work, and makes the next stop run the checks again (G44, G47).
 */
import { posix } from "node:path";
import { err, ok, type Result } from "neverthrow";
import type { FileFailure, HookRuntime } from "@/node/runtime/HookRuntime";
import { readText } from "@/node/runtime/fileContents";
import { keyOf, type KnownFailure } from "@/node/services/gauntlet/known/failureIdentity";
import * as checkFacts from "@/node/services/gauntlet/known/failureStore";
import { openRunRepository } from "@/node/services/gauntlet/run/plan/runRepository";
import type { RunOptions } from "@/node/services/gauntlet/run/runOptions";
import { readState, writeState } from "@/node/services/gauntlet/state/executionState";
import type { GauntletConfig } from "@/node/services/gauntlet/config/loadConfig";

export interface ListedRecord extends Omit<checkFacts.KnownRecord, "failures"> {
  /** Absolute. */
  readonly path: string;
  readonly isShared: boolean;
  /** Whether the user's command wrote it, so that it counts. Always true for a shared one. */
  readonly isTrusted: boolean;
  readonly failures: readonly { readonly failure: KnownFailure; readonly isFixed: boolean }[];
  /** Removes the failures that no longer occur, and returns their number. */
  readonly prune: () => Promise<Result<number, string>>;
  readonly remove: () => Promise<Result<void, FileFailure>>;
}

type Place = Required<Pick<RunOptions, "runtime" | "projectDir" | "env">> & {
  readonly config: GauntletConfig;
};

/** Lists the local records, then the shared ones of the working tree. */
export async function knownRecords({ config, ...place }: Place): Promise<readonly ListedRecord[]> {
  const opened = await openRunRepository(place, config, false);
  if (opened.isErr()) return [];
  const { runtime, projectDir, env } = place;
  const at = { runtime, context: opened.value, env };
  const folder = posix.dirname(checkFacts.localRecordPath(opened.value, "x"));
  const local = await readAll(runtime, folder);
  const shared = await readAll(runtime, posix.join(projectDir, checkFacts.SHARED_FOLDER));
  return await Promise.all([
    ...local.map(async (one) => await listed(at, one, false)),
    ...shared.map(async (one) => await listed(at, one, true)),
  ]);
}

/** Makes the next stop run the checks again, although nothing changed since a run with known failures. */
export async function forgetKnownRun(runtime: HookRuntime, logDir: string): Promise<void> {
  const { state } = await readState(runtime, logDir);
  if (state?.known !== undefined) await writeState(runtime, logDir, { ...state, known: undefined });
}

interface FoundRecord {
  readonly path: string;
  readonly record: checkFacts.KnownRecord;
}

async function readAll(runtime: HookRuntime, folder: string): Promise<FoundRecord[]> {
  const names = (await runtime.list(folder)).unwrapOr([]).filter((name) => name.endsWith(".jsonl"));
  const found = await Promise.all(
    [...names].sort().map(async (name) => {
      const path = posix.join(folder, name);
      const text = await readText(runtime, path, { maxBytes: checkFacts.MAX_RECORD_BYTES });
      const record = checkFacts.parseRecord(text ?? "");
      return record === undefined ? [] : [{ path, record }];
    })
  );
  return found.flat();
}

async function listed(
  place: checkFacts.RecordPlace,
  { path, record }: FoundRecord,
  isShared: boolean
): Promise<ListedRecord> {
  const { runtime } = place;
  const fixed = await checkFacts.readFixed(place, record.check);
  const isOwn = !isShared && path === checkFacts.localRecordPath(place.context, record.check);
  // Read again, and only at the path of its check: another file could have the name of this check.
  const local = isOwn ? await checkFacts.readLocalRecord(place, record.check) : undefined;
  const trusted = isShared ? record : local === "changed" ? undefined : local;
  const isTrusted = trusted !== undefined;
  const failures = (trusted ?? record).failures.map((failure) => ({
    failure,
    isFixed: fixed.has(keyOf(failure)),
  }));
  return {
    ...record,
    ...{ path, isShared, isTrusted, failures },
    prune: async () => {
      const kept = failures.filter(({ isFixed }) => !isFixed).map(({ failure }) => failure);
      const count = failures.length - kept.length;
      // A record that something else wrote must not become a trusted one.
      if (count === 0 || !isTrusted) return ok(0);
      const pruned = { ...trusted, failures: kept };
      const written = isShared
        ? await runtime.writeFile(path, checkFacts.recordText(pruned), { mode: 0o644 })
        : await checkFacts.writeLocalRecord(place, pruned);
      return written.isErr() ? err(written.error.message) : ok(count);
    },
    remove: async () =>
      isOwn ? await checkFacts.removeRecord(place, record.check) : await runtime.remove(path),
  };
}
