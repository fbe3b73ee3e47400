/** A project whose reviewers return the answers of a test and record their prompts. */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { RunOptions } from "@/node/services/gauntlet/run/runOptions";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { restoring } from "@test/helpers/restoring";
import { putFile, tempDir } from "@test/helpers/tempDir";

export interface Finding {
  readonly file?: string;
  readonly line?: number | string | null;
  readonly issue: string;
  readonly priority?: string;
  readonly id?: string;
}

interface StoredViolation {
  id: string;
  file: string;
  line: number | string | null;
  issue: string;
  priority: string;
  status: string;
  result: string | null;
}

export interface StoredReview {
  adapter: string;
  timestamp: string;
  status: string;
  rawOutput: string;
  violations: StoredViolation[];
  passIteration?: number;
}

export interface ReviewSetup {
  /** Names of reviewers, in the order of preference. */
  readonly reviewers?: readonly string[];
  /** YAML of the review's front matter. */
  readonly frontMatter?: string;
  /** YAML in addition to the entry points. */
  readonly config?: string;
  /** The path of the entry point. */
  readonly path?: string;
}

export class ReviewProject {
  private constructor(
    readonly project: GauntletProject,
    private readonly outside: string
  ) {}

  static async create({
    reviewers = ["one"],
    frontMatter = "",
    config = "",
    path = "src",
  }: ReviewSetup = {}): Promise<ReviewProject> {
    const outside = await tempDir();
    // Each call records its prompt, and prints the answer prepared for this call and reviewer, or else a pass.
    const script = join(outside, "reviewer.sh");
    await writeFile(
      script,
      `d='${outside}/'"$1"; mkdir -p "$d/seen"; n=$(ls "$d/seen" | wc -l); cat > "$d/seen/$n"\n` +
        `if [ -f "$d/answer.$n" ]; then . "$d/answer.$n"; else echo '{"status":"pass","violations":[]}'; fi\n`
    );
    const review = `---\n${frontMatter === "" ? "parallel: true" : frontMatter}\n---\nLook for trouble.\n`;
    const commands = reviewers.map((name) => `    ${name}: "sh '${script}' ${name}"\n`).join("");
    const project = await GauntletProject.create(
      `${config}cli:\n  default_preference: [${reviewers.join(", ")}]\n  commands:\n${commands}` +
        `entry_points:\n  - path: ${path}\n    reviews: [cq]\n`,
      {},
      { files: { ".gauntlet/reviews/cq.md": review } }
    );
    return new ReviewProject(project, outside);
  }

  /** The folders with everything that tests change. */
  get folders(): readonly string[] {
    return [this.project.dir, this.outside];
  }

  /** Prepares the findings of the reviewer's nth call, from 0. */
  async answers(nth: number, findings: readonly Finding[], reviewer = "one"): Promise<void> {
    const violations = findings.map(({ priority = "high", ...finding }) => ({
      file: "src/a.txt",
      line: 1,
      ...finding,
      priority,
    }));
    const status = findings.length > 0 ? "fail" : "pass";
    await this.says(nth, JSON.stringify({ status, violations }), reviewer);
  }

  async says(nth: number, text: string, reviewer = "one"): Promise<void> {
    const answer = join(this.outside, `${reviewer}.text.${nth}`);
    await writeFile(answer, text);
    await this.does(nth, `cat '${answer}'`, reviewer);
  }

  /** @param script a shell script that runs in place of an answer */
  async does(nth: number, script: string, reviewer = "one"): Promise<void> {
    await putFile(join(this.outside, reviewer, `answer.${nth}`), `${script}\n`);
  }

  /** Returns the prompts of a reviewer, in order. */
  async prompts(reviewer = "one"): Promise<string[]> {
    const folder = join(this.outside, reviewer, "seen");
    const names = (await readdir(folder).catch(() => [])).sort((a, b) => Number(a) - Number(b));
    return await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
  }

  async run(options: Partial<RunOptions> = {}): Promise<RunResult> {
    return await this.project.run(options);
  }

  async review(run: number, slot = 1, reviewer = "one"): Promise<StoredReview> {
    return JSON.parse(await this.project.read(fileOf(run, slot, reviewer))) as StoredReview;
  }

  /** Reads the JSON, changes its violations, and writes it again, as an agent does. */
  async edit(
    run: number,
    change: (violations: StoredViolation[]) => unknown,
    slot = 1,
    reviewer = "one"
  ): Promise<void> {
    const review = await this.review(run, slot, reviewer);
    change(review.violations);
    await this.project.write(fileOf(run, slot, reviewer), JSON.stringify(review));
  }
}

/** Returns the project of {@link ReviewProject.create}. Tests that run one after the other share it, as it was created. */
export const reviewProject = restoring((setup: ReviewSetup = {}) => ReviewProject.create(setup));

export function fileOf(run: number, slot = 1, reviewer = "one"): string {
  return `gauntlet_logs/review_src_cq_${reviewer}@${slot}.${run}.json`;
}
