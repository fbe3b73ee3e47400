/** The text of a record of known failures: JSON lines, the check first, then its failures in order (G44). */
import * as z from "zod/mini";
import { parseJson } from "@/common/json";
import { MIB } from "@/common/limits";
import { keyOf, type KnownFailure } from "@/node/services/gauntlet/known/identity";

export const MAX_RECORD_BYTES = 4 * MIB;
/** More than the findings and the lines of an output. */
const MAX_LINES = 250_000;

const text = z.string();
const objectId = z.string().check(z.regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/));

const headSchema = z.object({
  /** The ID of the job. */
  check: text,
  /** Digest of the command, its folder and its environment. */
  command: text,
  commit: objectId,
  tree: objectId,
  /** The day, in ISO 8601. */
  at: z.string().check(z.regex(/^\d{4}-\d\d-\d\d$/)),
  exit: z.int(),
  /** By tool that printed findings or tests, the number of tests that ran. */
  tools: z.record(z.string(), z.int()),
  /** Whether the command runs several tools, so that the lines of its output that name an error are compared as well. */
  isCompound: z.optional(z.boolean()),
});

const failureSchema = z.object({
  file: z.optional(text),
  test: z.optional(text),
  rule: z.optional(text),
  message: z.optional(text),
  text: z.optional(text),
  line: z.optional(text),
  nth: z.optional(z.int()),
  how: z.optional(text),
  flaky: z.optional(z.boolean()),
});

export type RecordHead = z.infer<typeof headSchema>;

export interface KnownRecord extends RecordHead {
  readonly failures: readonly KnownFailure[];
}

export function recordText({ failures, ...head }: KnownRecord): string {
  const lines = [...new Map(failures.map((one) => [keyOf(one), JSON.stringify(one)])).values()];
  return [JSON.stringify(head), ...lines.sort()].map((line) => `${line}\n`).join("");
}

/**
 * Returns undefined if the first line is not a check. Another line that cannot be read is left out: it makes nothing
 * known.
 */
export function parseRecord(source: string): KnownRecord | undefined {
  const [first = "", ...lines] = source.split("\n", MAX_LINES);
  const head = headSchema.safeParse(parseJson(first).unwrapOr(undefined), { jitless: true });
  if (!head.success) return undefined;
  const failures = lines.flatMap((line) => {
    if (!line.startsWith("{")) return [];
    const json = parseJson(line).unwrapOr(undefined);
    const { success, data = {} } = failureSchema.safeParse(json, { jitless: true });
    return success && Object.keys(data).length > 0 ? [data] : [];
  });
  return { ...head.data, failures };
}
