/** `hook-runs.jsonl` beside the transcript: one line a run, at most 10 MiB, one rotation (H24). */
import { dirname, isAbsolute, join } from "node:path";
import { MAX_RECORD_FILE_BYTES } from "@/common/limits";
import type { Files } from "@/node/runtime/HookRuntime";
import type { HookRun } from "@/node/services/hooks/contract/types";

const RECORD_FILE = "hook-runs.jsonl";
const ROTATED_FILE = "hook-runs.1.jsonl";

/** Where the records of a session lie, given its transcript on the host. */
export function recordPath(transcriptPath: string): string {
  return join(dirname(transcriptPath), RECORD_FILE);
}

/**
 * Appends the runs of one stop. A folder that is not there is not made: without a session there is no record.
 * Resolves to what went wrong, in words, or to nothing.
 */
export async function recordRuns(
  files: Files,
  transcriptPath: string,
  runs: readonly HookRun[]
): Promise<string | undefined> {
  if (runs.length === 0 || !isAbsolute(transcriptPath)) return undefined;
  const path = recordPath(transcriptPath);
  const [folder, current] = await files.stat([dirname(path), path]);
  if (folder?.kind !== "directory") return undefined;
  const lines = runs.map((run) => `${JSON.stringify(run)}\n`).join("");
  if (current?.kind === "file" && current.size + lines.length > MAX_RECORD_FILE_BYTES) {
    await files.rename(path, join(dirname(path), ROTATED_FILE));
  }
  const appended = await files.appendFile(path, lines);
  return appended.isErr()
    ? `the hook runs could not be recorded: ${appended.error.message}`
    : undefined;
}
