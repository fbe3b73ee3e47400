/** The results of all parts of a run as one, which says what a run of all jobs on one machine would have said. */
import { plural, visible } from "@/common/text";
import type { GateResult } from "@/node/services/gauntlet/domain/gate";
import type { RunResult, SkippedIssue } from "@/node/services/gauntlet/domain/runResult";
import { isSuccessStatus, type GauntletStatus } from "@/node/services/gauntlet/domain/status";
import { validateShards } from "@/node/services/gauntlet/run/shards/validateShards";
import type { ShardResult } from "@/node/services/gauntlet/run/shards/parseShardResult";
import { createResult } from "@/node/services/gauntlet/run/createResult";

/** Where a result came from, as a person knows it, and what was read there. */
export type PartInput =
  | { readonly source: string; readonly result: ShardResult }
  | { readonly source: string; readonly problem: string };

export type ReadPart = PartInput & { readonly result: ShardResult };

/**
 * Its status is the worst of them ({@link WORST_FIRST}). Parts that are missing, there twice or of another run make it
 * an `error` that names them; what the others found is in it all the same.
 */
export function mergeResults(inputs: readonly PartInput[]): RunResult {
  const parts = inputs.filter((input) => "result" in input);
  const unreadable = inputs.flatMap((input) =>
    "problem" in input ? [`${visible(input.source)} ${input.problem}`] : []
  );
  const none = inputs.length === 0 ? ["there is no result to merge"] : [];
  const problems = [...none, ...unreadable, ...validateShards(parts)];
  const results = parts.map(({ result }) => result);
  const status = problems.length > 0 ? "error" : worst(results.map((result) => result.status));
  const errorMessage = problems.length > 0 ? joinProblems(problems) : whyNoVerdict(parts, status);
  return createResult(status, {
    gates: inPlanOrder(results),
    fixed: union(results, "fixed"),
    skipped: skippedOf(results),
    warnings: union(results, "warnings"),
    ...(errorMessage === undefined ? {} : { errorMessage }),
  });
}

/** Work that is not done outranks not knowing, which outranks that all is well. */
const WORST_FIRST: readonly GauntletStatus[] = [
  "failed",
  "error",
  "infrastructure_error",
  "retry_limit_exceeded",
  "lock_exists",
  "no_config",
  "invalid_input",
  "stop_hook_active",
  "stop_hook_disabled",
  "interval_not_elapsed",
  "passed_with_warnings",
  "passed",
  "no_applicable_gates",
  "no_changes",
];

function worst(statuses: readonly GauntletStatus[]): GauntletStatus {
  return WORST_FIRST.find((status) => statuses.includes(status)) ?? "error";
}

/** Its first line stands in the message. */
function joinProblems(problems: readonly string[]): string {
  const [first = "", ...others] = problems;
  if (others.length === 0) return first;
  const heading = `${plural(problems.length, "thing")} keep the parts from being one run`;
  return [heading, ...problems.map((problem) => `  ${problem}`)].join("\n");
}

/** What the parts say that have that status. */
function whyNoVerdict(parts: readonly ReadPart[], status: GauntletStatus): string | undefined {
  if (isSuccessStatus(status) || status === "failed") return undefined;
  const why = parts
    .filter(({ result }) => result.status === status)
    .map(({ source, result }) => `${visible(source)}: ${result.errorMessage ?? result.message}`);
  return why.length === 0 ? undefined : why.join("\n");
}

/** As one run would list them. */
function inPlanOrder(results: readonly ShardResult[]): GateResult[] {
  const plan = results.find(({ shard }) => shard.of !== undefined)?.shard.of?.jobs ?? [];
  const places = new Map(plan.map((id, place) => [id, place]));
  const placeOf = ({ jobId }: GateResult): number => places.get(jobId) ?? plan.length;
  return results.flatMap(({ gates }) => gates).sort((a, b) => placeOf(a) - placeOf(b));
}

function skippedOf(results: readonly ShardResult[]): SkippedIssue[] {
  const all = results.flatMap(({ skipped }) => skipped);
  return [...new Map(all.map((skip) => [JSON.stringify(skip), skip])).values()];
}

function union(results: readonly ShardResult[], key: "fixed" | "warnings"): string[] {
  return [...new Set(results.flatMap((result) => result[key]))];
}
