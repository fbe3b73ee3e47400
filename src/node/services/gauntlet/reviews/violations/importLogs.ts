/** Imports reviews from their JSON files, if the original tool wrote them or the state was lost (G14a). */
import { posix } from "node:path";
import { sha256 } from "@/common/hash";
import type { Files } from "@/node/runtime/HookRuntime";
import type { Job } from "@/node/services/gauntlet/domain/gate";
import {
  PRIORITIES,
  type ReviewState,
  type SlotState,
  type TrackedViolation,
} from "@/node/services/gauntlet/domain/review";
import {
  readResultFile,
  type FileEntry,
} from "@/node/services/gauntlet/reviews/violations/resultFile";
import { listFolder, safeName } from "@/node/services/gauntlet/state/runFiles";

/** Imports the slots of a job from its latest files. They have no snapshot to compare with. */
export async function importReview(
  files: Files,
  logDir: string,
  { logName }: Pick<Job, "logName">
): Promise<ReviewState> {
  const names = (await listFolder(files, logDir)).unwrapOr([]);
  const prefix = `review_${logName}_`;
  const logs = names.flatMap((file) => {
    const match = file.startsWith(prefix) ? NAME_END.exec(file.slice(prefix.length)) : null;
    const [, reviewer = "", slot = "", run] = match ?? [];
    return match === null ? [] : [{ file, reviewer, slot, run: Number(run) }];
  });
  const slots = new Map<string, SlotState>();
  for (const { file, reviewer, slot } of logs.sort((a, b) => b.run - a.run)) {
    if (slots.has(slot)) continue;
    const read = await readResultFile(files, posix.join(logDir, file));
    const { entries = [], adapter } = read.kind === "read" ? read : {};
    // Another job's file: `review_._cq_x_claude@1.1.json` may be for `cq` or for `cq_x`.
    if (adapter !== undefined && reviewer.endsWith(`_${safeName(adapter)}`)) continue;
    const violations = entries.flatMap((entry, i) => importEntry(entry, `${file} ${i}`));
    const outcome = violations.length > 0 ? "failed" : "error";
    slots.set(slot, { reviewer, outcome, file, violations, fixed: [] });
  }
  return Object.fromEntries(slots);
}

const NAME_END = /^([A-Za-z0-9._-]+)@([1-9]\d*)\.(\d+)\.json$/;

function importEntry(entry: FileEntry, key: string): TrackedViolation[] {
  const { id, file, line, issue, fix, priority } = entry;
  if (typeof issue !== "string" || issue.trim() === "") return [];
  const hash = sha256(`${key} ${issue}`, 8);
  return [
    {
      id: typeof id === "string" ? id : hash,
      file: typeof file === "string" ? file : "",
      line: typeof line === "number" || typeof line === "string" ? line : null,
      issue,
      fix: typeof fix === "string" ? fix : undefined,
      priority: PRIORITIES.find((name) => name === priority) ?? "high",
      status: "new",
    },
  ];
}
