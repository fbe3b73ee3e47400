/** What a run of a check shows besides its findings, for rules that compare two runs (G46 to G49). */
import type {
  NamedTest,
  TestRun,
} from "@/node/services/gauntlet/gates/findings/formats/rawFinding";
import type { ToolOutput } from "@/node/services/gauntlet/gates/findings/matchOutput";

export interface CheckEvidence {
  /** Absent if it did not exit by itself. */
  readonly exitCode?: number | undefined;
  /** By tool that printed or wrote findings or tests, the number of its tests. */
  readonly tools: ReadonlyMap<string, Omit<TestRun, "names">>;
  /** The tests that passed, as far as they are named. Paths are relative to the project. */
  readonly passed: readonly NamedTest[];
  /** The last lines of its output, without control sequences. */
  readonly lines: readonly string[];
  /** Whether its output has more lines than these. */
  readonly isOutputCut: boolean;
  /** Whether it has more findings than are read. */
  readonly hasMore: boolean;
}

export const NO_EVIDENCE: CheckEvidence = {
  tools: new Map(),
  passed: [],
  lines: [],
  isOutputCut: false,
  hasMore: false,
};

/** Adds up the tests of each tool. */
export function countTests(outputs: readonly ToolOutput[]): CheckEvidence["tools"] {
  const tools = new Map<string, Omit<TestRun, "names">>();
  for (const { tool, tests } of outputs) {
    const { passed = 0, failed = 0, skipped = 0 } = tests ?? {};
    const sum = tools.get(tool) ?? { passed: 0, failed: 0, skipped: 0 };
    tools.set(tool, {
      passed: sum.passed + passed,
      failed: sum.failed + failed,
      skipped: sum.skipped + skipped,
    });
  }
  return tools;
}
