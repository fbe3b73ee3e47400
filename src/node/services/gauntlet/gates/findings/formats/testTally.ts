/** Adds up the tests of an output: those that the tool names, and the counts of its summaries. */
import {
  MAX_RAW_FINDINGS,
  type NamedTest,
  type TestRun,
} from "@/node/services/gauntlet/gates/findings/formats/rawFinding";

type Counts = Omit<TestRun, "names">;

export class TestTally {
  readonly #passed = new Map<string, NamedTest>();
  readonly #failed = new Set<string>();
  #summed: Counts = { passed: 0, failed: 0, skipped: 0 };
  /** The tests that were named since the last summary, which counts them as well. */
  #named: Counts = { passed: 0, failed: 0, skipped: 0 };
  #isEmpty = true;

  pass(test: NamedTest): void {
    this.#isEmpty = false;
    this.#named = { ...this.#named, passed: this.#named.passed + 1 };
    if (this.#passed.size < MAX_RAW_FINDINGS) this.#passed.set(test.test, test);
  }

  /** Ensures that `names` does not have the test, even if another run of it passed. */
  fail(test: string): void {
    this.#isEmpty = false;
    this.#named = { ...this.#named, failed: this.#named.failed + 1 };
    if (this.#failed.size < MAX_RAW_FINDINGS) this.#failed.add(test);
  }

  skip(): void {
    this.#isEmpty = false;
    this.#named = { ...this.#named, skipped: this.#named.skipped + 1 };
  }

  /** Adds the counts of a summary. They replace those of the tests that were named before it. */
  sum({ passed = 0, failed = 0, skipped = 0 }: Partial<Counts>): void {
    this.#isEmpty = false;
    const counts = { passed: count(passed), failed: count(failed), skipped: count(skipped) };
    this.#summed = add(this.#summed, counts);
    this.#named = { passed: 0, failed: 0, skipped: 0 };
  }

  get run(): TestRun | undefined {
    if (this.#isEmpty) return undefined;
    const names = [...this.#passed.values()].filter(({ test }) => !this.#failed.has(test));
    return { ...add(this.#summed, this.#named), names };
  }
}

/** Returns 0 for a number that no tool prints, because the output may be of another program. */
function count(value: number): number {
  return Number.isSafeInteger(value) && value > 0 ? value : 0;
}

function add(a: Counts, b: Counts): Counts {
  return {
    passed: a.passed + b.passed,
    failed: a.failed + b.failed,
    skipped: a.skipped + b.skipped,
  };
}
