/** Writes `hook-runs.jsonl` beside the transcript: one line per run, at most 10 MiB, one rotation (H24). */
import { dirname, isAbsolute, join } from "node:path";
import { MAX_RECORD_FILE_BYTES } from "@/common/limits";
import type { Files } from "@/node/runtime/HookRuntime";
import type { HookRun } from "@/node/services/hooks/contract/types";
import { runsNotRecorded } from "@/node/services/hooks/messages/stop";

const RECORD_FILE = "hook-runs.jsonl";
const ROTATED_FILE = "hook-runs.1.jsonl";

/** Returns the path of a session's records, given its transcript on the host. */
function recordPath(transcriptPath: string): string {
  return join(dirname(transcriptPath), RECORD_FILE);
}

/**
 * Appends the runs of one stop. Does not create a missing folder: without a session there is no record. Resolves to an
 * error message on failure.
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
  return appended.isErr() ? runsNotRecorded(appended.error.message) : undefined;
}
