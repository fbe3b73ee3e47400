/** Merges the results of all shards into the result that one run of all jobs on one machine would have. */
import { visible, plural } from "@/common/text";
import type { GateResult } from "@/node/services/gauntlet/domain/gate";
import type { RunResult, SkippedIssue } from "@/node/services/gauntlet/domain/runResult";
import { isSuccessStatus, type GauntletStatus } from "@/node/services/gauntlet/domain/status";
import { validateShards } from "@/node/services/gauntlet/run/shards/validateShards";
import type { ShardResult } from "@/node/services/gauntlet/run/shards/parseShardResult";
import { createResult } from "@/node/services/gauntlet/run/createResult";

/** The source of a result, as named to users, with the result or the reason why it could not be read. */
export type PartInput =
  | { readonly source: string; readonly result: ShardResult }
  | { readonly source: string; readonly problem: string };

export type ReadPart = PartInput & { readonly result: ShardResult };

/**
 * Merges the results of shards. The status is the worst of them ({@link WORST_FIRST}). If shards are missing,
 * duplicated or from another run, the result is an `error` that names them; it still includes the findings of the
 * others.
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
    errorMessage,
  });
}

/** Statuses by precedence: unfinished work outranks an unknown outcome, which outranks success. */
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
  "postponed",
  "passed_with_warnings",
  "passed",
  "no_applicable_gates",
  "no_changes",
];

function worst(statuses: readonly GauntletStatus[]): GauntletStatus {
  return WORST_FIRST.find((status) => statuses.includes(status)) ?? "error";
}

/** Joins problems into an error message. Its first line becomes part of the result's message. */
function joinProblems(problems: readonly string[]): string {
  const [first = "", ...others] = problems;
  if (others.length === 0) return first;
  return [
    `the results cannot be merged: ${plural(problems.length, "problem")}`,
    ...problems.map((problem) => `  ${problem}`),
  ].join("\n");
}

/** Returns the messages of the shards that have that status. */
function whyNoVerdict(parts: readonly ReadPart[], status: GauntletStatus): string | undefined {
  if (isSuccessStatus(status) || status === "failed") return undefined;
  const why = parts
    .filter(({ result }) => result.status === status)
    .map(({ source, result }) => `${visible(source)}: ${result.errorMessage ?? result.message}`);
  return why.length === 0 ? undefined : why.join("\n");
}

/** Returns the gates in the order of one run. */
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
