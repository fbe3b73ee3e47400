/**
 * Defines, writes and reads the JSON file of a slot (one of the reviews of a gate), in which the agent marks violations
 * as fixed or skipped. Imports the files of a review without a state, because the original tool, an older program,
 * wrote them or the state was lost (G14a).
 */
import { posix } from "node:path";
import * as z from "zod/mini";
import { isJsonObject, objectOf, parseJson } from "@/common/json";
import { MIB } from "@/common/limits";
import { sliceWhole } from "@/common/safeText";
import type { FileFailure, Files } from "@/node/runtime/HookRuntime";
import * as reviews from "@/node/services/gauntlet/domain/reviewViolations";
import type { Job } from "@/node/services/gauntlet/domain/gate";
import type { ReviewContext } from "@/node/services/gauntlet/reviews/ReviewerPool";
import { reviewFileName, listFolder, safeName } from "@/node/services/gauntlet/state/runFiles";
import { sha256 } from "@/common/hash";
import { charactersLeftOut } from "@/node/services/gauntlet/messages/shared";

const FILE_STATUSES = ["pass", "fail", "error", "skipped_prior_pass"] as const;
type FileStatus = (typeof FILE_STATUSES)[number];

const text = (about: string) => z.string().check(z.describe(about));
const flag = (about: string) => z.optional(z.boolean().check(z.describe(about)));

const violationSchema = z.looseObject({
  id: z.optional(text("Identifies the violation until it is resolved.")),
  file: text("The path relative to the project, with / as the separator."),
  line: z
    .nullable(z.union([z.number(), z.string()]))
    .check(z.describe("The line in the new version of the file, as the reviewer reported it.")),
  issue: text("A description of the problem."),
  fix: z.optional(text("A suggestion how to fix it.")),
  priority: z.enum(reviews.PRIORITIES),
  outside: flag("Whether it is in a file that is not part of the change."),
  unconfirmed: flag("Whether it was marked as fixed, but is open again."),
  status: z
    .enum(reviews.VIOLATION_STATUSES)
    .check(
      z.describe("Set by the agent: fixed, which is verified, or skipped, which requires a result.")
    ),
  result: z
    .optional(z.nullable(z.string()))
    .check(z.describe("A description of the fix, or the reason to skip it.")),
});

/** The published schema. From an edited file, only `adapter` and each entry of `violations` are read. */
export const resultFileSchema = z.looseObject({
  adapter: text("The name of the reviewer."),
  timestamp: text("The time when the file was written, in ISO 8601."),
  status: z.enum(FILE_STATUSES),
  rawOutput: text("The output of the reviewer."),
  violations: z.array(violationSchema),
  passIteration: z.optional(
    z
      .int()
      .check(
        z.minimum(1),
        z.describe("The number of the run, within the episode, in which the slot passed.")
      )
  ),
});
export type ResultFile = z.infer<typeof resultFileSchema>;

/** An entry of `violations` in a file that may have been edited. */
export type FileEntry = Readonly<Record<string, unknown>>;

export type ResultFileRead =
  | {
      readonly kind: "read";
      readonly entries: readonly FileEntry[];
      /** The reviewer's name. */
      readonly adapter?: string;
    }
  | { readonly kind: "gone" }
  | { readonly kind: "broken"; readonly message: string };

/** Larger than any file that this program writes, even with every character of the output escaped. */
export const MAX_RESULT_BYTES = 64 * MIB;
/** Longer output keeps its beginning and its end. The log has everything that was kept. */
const MAX_RAW_CHARS = MIB;

/** Reads the file of a slot, which the agent may have edited. */
export async function readResultFile(files: Files, path: string): Promise<ResultFileRead> {
  const read = await files.readFile(path, { maxBytes: MAX_RESULT_BYTES });
  if (read.isErr()) {
    const { code, message } = read.error;
    return code === "ENOENT" || code === "ENOTDIR" ? { kind: "gone" } : invalid(message);
  }
  const json = parseJson(new TextDecoder().decode(read.value));
  if (json.isErr()) return invalid(`it is not valid JSON: ${json.error}`);
  if (!isJsonObject(json.value)) return invalid("it is not a JSON object");
  const { violations = [], adapter } = json.value;
  if (!Array.isArray(violations)) return invalid('its "violations" is not a list');
  const entries = violations.map(objectOf);
  return { kind: "read", entries, adapter: typeof adapter === "string" ? adapter : undefined };
}

interface SlotReport extends Omit<reviews.SlotState, "fixed"> {
  readonly rawOutput: string;
}

/** Writes the file of a slot. Returns its name. */
export async function writeResultFile(
  { runtime, logDir, run, now }: Pick<ReviewContext, "runtime" | "logDir" | "run" | "now">,
  job: Job,
  slot: number,
  { reviewer, outcome, rawOutput, violations, passIteration }: SlotReport
): Promise<{ readonly name: string; readonly failure?: FileFailure }> {
  const file: ResultFile = {
    adapter: reviewer,
    timestamp: now().toISOString(),
    status: STATUS_IN_FILE[outcome],
    rawOutput: bounded(rawOutput),
    violations: violations.map(({ unplaced, at, judged, ...violation }) => ({
      ...violation,
      result: violation.result ?? null,
    })),
    passIteration,
  };
  const name = reviewFileName(job, { reviewer, slot }, run, "json");
  const text = `${JSON.stringify(file, null, 2)}\n`;
  const written = await runtime.writeFile(posix.join(logDir, name), text);
  return { name, failure: written.isErr() ? written.error : undefined };
}

const STATUS_IN_FILE: Readonly<Record<reviews.SlotOutcome, FileStatus>> = {
  passed: "pass",
  failed: "fail",
  error: "error",
  prior_pass: "skipped_prior_pass",
};

function bounded(raw: string): string {
  if (raw.length <= MAX_RAW_CHARS) return raw;
  const half = MAX_RAW_CHARS / 2;
  const mark = charactersLeftOut(raw.length - MAX_RAW_CHARS);
  const tail = sliceWhole(raw, raw.length - half, raw.length);
  return `${sliceWhole(raw, 0, half)}\n${mark}\n${tail}`;
}

function invalid(message: string): ResultFileRead {
  return { kind: "broken", message };
}

/** Imports the slots of a job from its latest files. They have no snapshot to compare with. */
export async function importReview(
  files: Files,
  logDir: string,
  { logName }: Pick<Job, "logName">
): Promise<reviews.ReviewState> {
  const names = (await listFolder(files, logDir)).unwrapOr([]);
  const prefix = `review_${logName}_`;
  const logs = names.flatMap((file) => {
    const match = file.startsWith(prefix) ? NAME_END.exec(file.slice(prefix.length)) : null;
    const [, reviewer = "", slot = "", run] = match ?? [];
    return match === null ? [] : [{ file, reviewer, slot, run: Number(run) }];
  });
  const slots = new Map<string, reviews.SlotState>();
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

function importEntry(entry: FileEntry, key: string): reviews.TrackedViolation[] {
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
      priority: reviews.PRIORITIES.find((name) => name === priority) ?? "high",
      status: "new",
    },
  ];
}
