/**
 * Recognizes checks that fail because they cannot work on this machine, for example without a program or a network.
 * They block at most once in a turn. Records which checks have passed here, and lists the facts about the change that
 * can exclude the environment as the cause (G49).
 */
import { visible } from "@/common/safeText";
import { posix } from "node:path";
import { isJsonObject } from "@/common/json";
import { KIB } from "@/common/limits";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import { treeFiles } from "@/node/services/gauntlet/change/git/gitQueries";
import type { GateResult } from "@/node/services/gauntlet/domain/gate";
import type { CheckEvidence } from "@/node/services/gauntlet/gates/findings/collectFindings";
import type { CheckJob } from "@/node/services/gauntlet/gates/runCheck";
import * as environments from "@/node/services/gauntlet/known/environmentCause";
import { maskLine } from "@/node/services/gauntlet/known/failureIdentity";
import { sinceRecord } from "@/node/services/gauntlet/known/sinceRecord";
import { factPath, notePass } from "@/node/services/gauntlet/known/failureStore";
import { MISSING } from "@/node/services/gauntlet/messages/known";
import type { GauntletRunContext } from "@/node/services/gauntlet/run/runContext";
import type { ExecutionState } from "@/node/services/gauntlet/state/executionState";
import { readJson } from "@/node/runtime/fileContents";

export class EnvironmentFailures {
  constructor(
    private readonly given: GauntletRunContext,
    private readonly state: Pick<ExecutionState, "baselines">,
    private readonly snapshot: string
  ) {}

  /** Records that a check can work here. Writes a file at its first pass only. */
  async notePass({ id }: CheckJob): Promise<void> {
    if (this.state.baselines[id] !== undefined) return;
    await notePass(this.given.options.runtime, this.given.context, id);
  }

  /** Returns whether a check has passed on this machine. */
  async hasPassed({ id }: CheckJob): Promise<boolean> {
    if (this.state.baselines[id] !== undefined) return true;
    const { options, context } = this.given;
    const path = factPath(context, context.commonDir, "passed", id);
    const [stat] = await options.runtime.stat([path]);
    return stat?.kind === "file";
  }

  /**
   * Returns the result of a check that cannot work here: `failed` if the agent is sent back for it, otherwise `error`.
   * Returns undefined for a failure like any other.
   *
   * @param mayStop whether the check blocked in this turn for such a reason, or the change cannot concern it
   */
  async settle(
    job: CheckJob,
    result: GateResult,
    evidence: CheckEvidence,
    mayStop: boolean
  ): Promise<GateResult | undefined> {
    const { exitCode = 1, lines } = evidence;
    const output: environments.FailedOutput = { lines, exitCode, findings: result.findings };
    const likely = environments.environmentCause(output, ANYWHERE);
    // A check that needs a key may have passed here while the key was set.
    const isPossible = likely?.kind === "key" || !(await this.hasPassed(job));
    if (likely === undefined || !isPossible) return undefined;
    const { options, context } = this.given;
    const base = context.baseCommit ?? context.emptyTree;
    const facts = await environmentFacts(options, context, this.snapshot, base);
    const cause = environments.environmentCause(output, facts);
    if (cause === undefined) return undefined;
    const isOlder = await this.#isRecordedBefore(job, cause);
    if (!isOlder && !mayStop) {
      const explanation = {
        text: `this looks like the environment: ${MISSING[cause.kind]}. If so, you cannot fix it here: stop again and explain it to the user`,
        about: [cause.line],
      };
      return { ...result, explanation };
    }
    const why = isOlder ? "not caused by the change" : "this looks like the environment";
    const { name = "" } = cause;
    const text =
      cause.kind === "key"
        ? `it may need ${name}, which checks do not get; if so, add "pass_env: [${name}]" to its definition`
        : `it cannot work here (${why})`;
    const message = `${text}: ${visible(cause.line)}`;
    return { ...result, outcome: "error", unreachable: true, message };
  }

  /** Returns whether the same failure was recorded in an earlier turn. Otherwise records it. */
  async #isRecordedBefore(
    { id }: CheckJob,
    { line }: environments.EnvironmentCause
  ): Promise<boolean> {
    const { options, context } = this.given;
    // A run by hand belongs to no turn, so it cannot show that the failure is older.
    if (options.stop === undefined) return false;
    const path = factPath(context, context.gitDir, "environment", id);
    const { session, turn } = options.stop;
    const now = { line: maskLine(line), turn: `${session} ${turn}` };
    const before = await readJson(options.runtime, path, { maxBytes: 4 * KIB });
    if (isJsonObject(before) && before.line === now.line) return before.turn !== now.turn;
    await options.runtime.writeFile(path, JSON.stringify(now));
    return false;
  }
}

/**
 * Returns the facts about a tree and its changes that decide whether the environment caused a failure.
 *
 * @param base the tree with which it is compared. Absent: there is no change.
 */
export async function environmentFacts(
  { runtime, projectDir }: Pick<GauntletRunContext["options"], "runtime" | "projectDir">,
  context: GitContext,
  tree: string,
  base: string | undefined
): Promise<environments.EnvironmentFacts> {
  const listed = await treeFiles(runtime, context, tree);
  const paths = new Set<string>();
  for (const { path } of listed.unwrapOr([])) {
    // Each folder as well.
    for (let at = path.length; at > 0; at = path.lastIndexOf("/", at - 1)) {
      paths.add(path.slice(0, at));
    }
  }
  const since = base === undefined ? undefined : await sinceRecord(runtime, context, base, tree);
  const { paths: changed = [], added, removed } = since?.unwrapOr(undefined) ?? {};
  const lines = [...(added?.values() ?? [])].flatMap((one) => [...one.values()]);
  const texts = [...changed, ...lines, ...(removed?.keys() ?? [])];
  const changedNames = new Set(changed.map((path) => posix.basename(path)));
  return {
    isChangedFile: (name) => changedNames.has(name),
    isInTree: (path) => paths.has(path.replace(`${projectDir}/`, "").replace(/^\.\//, "")),
    isInChange: (name) => texts.some((text) => text.includes(name)),
  };
}

/** Facts that exclude no cause: no file is in the tree or in the change. */
const ANYWHERE: environments.EnvironmentFacts = {
  isInTree: () => false,
  isInChange: () => false,
  isChangedFile: () => false,
};
