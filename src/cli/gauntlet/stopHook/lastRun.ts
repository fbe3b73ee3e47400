/** What the last run left behind, where the file is whole and ours in every field that counts here (G16). */
import { posix } from "node:path";
import { isJsonObject, parseJson } from "@/common/json";
import { MIB } from "@/common/limits";
import type { ReadableFiles } from "@/node/services/gauntlet/config/configFiles";
import { GAUNTLET_STATUSES } from "@/node/services/gauntlet/domain/status";
import { STATE_FILE } from "@/node/services/gauntlet/state/runFiles";
import type { LastRun } from "@/node/services/gauntlet/stopInterval";

const MAX_BYTES = 8 * MIB;

export interface LastRunRead {
  readonly run: LastRun;
  /** The digest of the configuration by which a whole run passed last. */
  readonly passedBy: string;
}

export async function readLastRun(
  files: ReadableFiles,
  logDir: string
): Promise<LastRunRead | undefined> {
  const read = await files.readFile(posix.join(logDir, STATE_FILE), { maxBytes: MAX_BYTES });
  if (read.isErr()) return undefined;
  const state = parseJson(Buffer.from(read.value).toString("utf8")).unwrapOr(undefined);
  if (!isJsonObject(state) || !isJsonObject(state.passed)) return undefined;
  const { last_run_completed_at, branch, gates_run, partial, open } = state;
  const { snapshot, definition } = state.passed;
  const status = GAUNTLET_STATUSES.find((known) => known === state.status);
  const isOurs =
    status !== undefined &&
    isTime(last_run_completed_at) &&
    typeof branch === "string" &&
    isCount(gates_run) &&
    typeof partial === "boolean" &&
    isTexts(open) &&
    typeof snapshot === "string" &&
    typeof definition === "string";
  if (!isOurs) return undefined;
  return {
    run: { last_run_completed_at, status, partial, open, gates_run, branch },
    passedBy: definition,
  };
}

function isTime(value: unknown): value is string {
  return typeof value === "string" && !Number.isNaN(Date.parse(value));
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
