/** A project with one review, the fake reviewers on PATH, and a Stop hook as a separate process. */
import { join } from "node:path";
import type { Called } from "@test/helpers/cliContext";
import { agentGauntlet } from "@test/helpers/gauntlet/agentGauntlet";
import { FakeReviewers } from "@test/helpers/gauntlet/fakeReviewers";
import { GauntletProject, PROJECT_ENV } from "@test/helpers/gauntlet/gauntletProject";
import type { StoredReview } from "@test/helpers/gauntlet/reviewProject";
import { tempDir } from "@test/helpers/tempDir";
import { stop, type Stopped } from "@test/requirements/rig";

export class ReviewedProject {
  private constructor(
    readonly project: GauntletProject,
    readonly fakes: FakeReviewers
  ) {}

  /**
   * @param config YAML in addition to the base branch and the entry points
   * @param review YAML of the review `cq`
   */
  static async create(
    config = "cli: { default_preference: [claude] }\n",
    review = "builtin: code-quality"
  ): Promise<ReviewedProject> {
    const project = await GauntletProject.create(
      `${config}entry_points:\n  - path: .\n    reviews:\n      - cq: { ${review} }\n`
    );
    const fakes = new FakeReviewers(join(await tempDir(), "fakes"));
    return new ReviewedProject(project, fakes);
  }

  get env(): NodeJS.ProcessEnv {
    return this.fakes.env(PROJECT_ENV);
  }

  /** Calls a command in this process. */
  async call(...args: string[]): Promise<Called> {
    return await agentGauntlet(this.project, args, { env: this.env });
  }

  async stop(): Promise<Stopped> {
    return await stop(this.project, {}, { env: this.env });
  }

  /** Returns the absolute path of a review's JSON. */
  jsonPath(run: number, reviewer = "claude", slot = 1): string {
    return this.project.path(`gauntlet_logs/review_._cq_${reviewer}@${slot}.${run}.json`);
  }

  async review(run: number, reviewer = "claude", slot = 1): Promise<StoredReview> {
    const path = `gauntlet_logs/review_._cq_${reviewer}@${slot}.${run}.json`;
    return JSON.parse(await this.project.read(path)) as StoredReview;
  }

  /** Reads the JSON, marks its violations, and writes it again, as an agent does. */
  async mark(run: number, ...marks: readonly { status: string; result?: string }[]): Promise<void> {
    const review = await this.review(run);
    for (const [i, mark] of marks.entries()) Object.assign(review.violations[i] ?? {}, mark);
    const path = `gauntlet_logs/review_._cq_claude@1.${run}.json`;
    await this.project.write(path, JSON.stringify(review, null, 2));
  }

  /** Lists files that no run may leave behind. */
  async leftovers(): Promise<string[]> {
    return (await this.project.logs()).filter((name) => /^\.(review-|gauntlet-run)/.test(name));
  }
}
