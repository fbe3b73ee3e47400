/** Values for tests of single functions of a run. */
import { openRepository } from "@/node/services/gauntlet/change/git/openRepository";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import type { GauntletConfig } from "@/node/services/gauntlet/config/loadConfig";
import type {
  CheckDefinition,
  GateDefinition,
  GateOutcome,
  GateResult,
  ReviewDefinition,
} from "@/node/services/gauntlet/domain/gate";
import { checkJob } from "@test/helpers/gauntlet/gauntlet";
import type { GitProject } from "@test/helpers/gitProject";

export function checkGate(name: string, more: Partial<CheckDefinition> = {}): CheckDefinition {
  return checkJob("true", { name, ...more }).gate;
}

export function reviewGate(name: string, more: Partial<ReviewDefinition> = {}): ReviewDefinition {
  return {
    kind: "review",
    name,
    prompt: { text: "Read it." },
    numReviews: 1,
    parallel: false,
    timeoutS: 60,
    enabled: true,
    runInCi: true,
    runLocally: true,
    source: { file: `.gauntlet/reviews/${name}.yml`, line: 1, column: 1 },
    ...more,
  };
}

/** Returns a configuration that has these gates at the root of the project. */
export function gauntletConfig(
  gates: readonly GateDefinition[],
  more: Partial<GauntletConfig> = {}
): GauntletConfig {
  return {
    baseBranch: "main",
    logDir: "gauntlet_logs",
    globalDependencies: [],
    allowParallel: false,
    maxParallel: 1,
    maxRetries: 3,
    rerunNewIssueThreshold: "medium",
    cli: { defaultPreference: [], commands: {} },
    debugLog: { enabled: false, maxSizeMb: 1 },
    stopHook: {},
    entryPoints: [{ path: ".", exclude: [], gates }],
    digest: "digest of the configuration",
    ...more,
  };
}

/** Returns the result of a gate by the ID of its job, such as `check:src:lint`. */
export function gateResult(
  jobId: string,
  outcome: GateOutcome = "passed",
  more: Partial<GateResult> = {}
): GateResult {
  const [kind, entryPoint = ".", gate = jobId] = jobId.split(":");
  const known = { jobId, entryPoint, gate, outcome, durationMs: 1 };
  return { ...known, kind: kind === "review" ? "review" : "check", ...more };
}

/** Opens the repository of a project with `main` as its base branch. */
export async function openMain(project: GitProject): Promise<GitContext> {
  const options = { baseBranch: "main", env: {} };
  return (await openRepository(project.runtime, project.dir, options))._unsafeUnwrap();
}
