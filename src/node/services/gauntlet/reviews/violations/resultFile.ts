/** The JSON of a review slot: written for the agent, and read again after the agent has edited it (§5). */
import { posix } from "node:path";
import * as z from "zod/mini";
import { isJsonObject, parseJson } from "@/common/json";
import { MIB } from "@/common/limits";
import { plural, sliceWhole } from "@/common/text";
import type { FileFailure, Files } from "@/node/runtime/HookRuntime";
import {
  PRIORITIES,
  VIOLATION_STATUSES,
  type SlotOutcome,
  type TrackedViolation,
} from "@/node/services/gauntlet/domain/review";
import type { Result } from "neverthrow";

const FILE_STATUSES = ["pass", "fail", "error", "skipped_prior_pass"] as const;
type FileStatus = (typeof FILE_STATUSES)[number];

const violationSchema = z.looseObject({
  id: z.optional(z.string().check(z.describe("Stable until it is settled."))),
  file: z.string().check(z.describe("From the project's folder, with / between its parts.")),
  line: z
    .nullable(z.union([z.number(), z.string()]))
    .check(z.describe("On the new side, as the reviewer gave it.")),
  issue: z.string().check(z.describe("What is wrong.")),
  fix: z.optional(z.string().check(z.describe("How to mend it."))),
  priority: z.enum(PRIORITIES),
  status: z
    .enum(VIOLATION_STATUSES)
    .check(
      z.describe("For the agent to set: fixed, which is verified, or skipped, with a result.")
    ),
  result: z
    .optional(z.nullable(z.string()))
    .check(z.describe("What was done, or why it is skipped.")),
});

/** The published schema. From an edited file, only `adapter` and each entry of `violations` are read. */
export const resultFileSchema = z.looseObject({
  adapter: z.string().check(z.describe("The reviewer.")),
  timestamp: z.string().check(z.describe("When it was written, ISO 8601.")),
  status: z.enum(FILE_STATUSES),
  rawOutput: z.string().check(z.describe("What the reviewer printed.")),
  violations: z.array(violationSchema),
  passIteration: z.optional(
    z.int().check(z.minimum(1), z.describe("The run of the episode in which it passed."))
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

export async function readResultFile(files: Files, path: string): Promise<ResultFileRead> {
  const read = await files.readFile(path, { maxBytes: MAX_RESULT_BYTES });
  if (read.isErr()) {
    const { code, message } = read.error;
    return code === "ENOENT" || code === "ENOTDIR" ? { kind: "gone" } : invalid(message);
  }
  const json = parseJson(new TextDecoder().decode(read.value));
  if (json.isErr()) return invalid(`it is no valid JSON: ${json.error}`);
  if (!isJsonObject(json.value)) return invalid("it is no JSON object");
  const { violations = [], adapter } = json.value;
  if (!Array.isArray(violations)) return invalid('its "violations" are no list');
  return {
    kind: "read",
    entries: violations.map((entry: unknown) => (isJsonObject(entry) ? entry : {})),
    ...(typeof adapter === "string" ? { adapter } : {}),
  };
}

export interface SlotReport {
  readonly reviewer: string;
  readonly outcome: SlotOutcome;
  readonly rawOutput: string;
  readonly violations: readonly TrackedViolation[];
  readonly passIteration?: number;
}

export async function writeResultFile(
  files: Files,
  { logDir, name }: { readonly logDir: string; readonly name: string },
  { reviewer, outcome, rawOutput, violations, passIteration }: SlotReport,
  now: Date
): Promise<Result<void, FileFailure>> {
  const file: ResultFile = {
    adapter: reviewer,
    timestamp: now.toISOString(),
    status: STATUS_IN_FILE[outcome],
    rawOutput: bounded(rawOutput),
    violations: violations.map(({ unplaced, ...violation }) => ({
      ...violation,
      result: violation.result ?? null,
    })),
    passIteration,
  };
  return await files.writeFile(posix.join(logDir, name), `${JSON.stringify(file, null, 2)}\n`);
}

const STATUS_IN_FILE: Readonly<Record<SlotOutcome, FileStatus>> = {
  passed: "pass",
  failed: "fail",
  error: "error",
  prior_pass: "skipped_prior_pass",
};

function bounded(raw: string): string {
  if (raw.length <= MAX_RAW_CHARS) return raw;
  const half = MAX_RAW_CHARS / 2;
  const lost = plural(raw.length - MAX_RAW_CHARS, "character");
  const tail = sliceWhole(raw, raw.length - half, raw.length);
  return `${sliceWhole(raw, 0, half)}\n[… ${lost} left out …]\n${tail}`;
}

function invalid(message: string): ResultFileRead {
  return { kind: "broken", message };
}
