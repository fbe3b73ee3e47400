/**
 * Answers of reviewers in three situations: the verdict, what the agent gets, and what the person gets (G12 to G14).
 * `reviewTable.md` beside this file has the results. After a change of the rules, `vitest -u` writes it.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import type { StoredReview } from "@test/helpers/gauntlet/reviewProject";
import { markdownTable } from "@test/helpers/docs/table";
import { restoring } from "@test/helpers/restoring";
import { tempDir } from "@test/helpers/tempDir";

const violation = (fields: object) => ({
  file: "src/a.txt",
  line: 8,
  issue: "it is wrong",
  priority: "high",
  ...fields,
});
const fail = (...violations: unknown[]) => JSON.stringify({ status: "fail", violations });
const PASS = '{"status":"pass","violations":[]}';
const wrapped = (fields: object) => JSON.stringify({ type: "result", result: PASS, ...fields });

/** By name, what the reviewer prints, and its exit code if it is not 0. */
const ANSWERS: Record<string, readonly [text: string, code?: number]> = {
  "a pass": [PASS],
  "a pass with violations": [JSON.stringify({ status: "pass", violations: [violation({})] })],
  "high, at the change": [fail(violation({}))],
  "critical, five lines beside it": [fail(violation({ priority: "critical", line: 13 }))],
  "critical, in an unchanged file": [
    fail(violation({ priority: "critical", file: "src/caller.txt", line: 1 })),
  ],
  "high, in a missing test file": [fail(violation({ file: "src/a.test.txt", line: 1 }))],
  "low, in an unchanged file": [
    fail(violation({ priority: "low", file: "src/caller.txt", line: 1 })),
  ],
  "violations as strings": [
    JSON.stringify({ status: "fail", violations: ["src/a.txt:8 it is wrong"] }),
  ],
  "a violation without a text": [fail({ file: "src/a.txt", line: 8, priority: "high" })],
  prose: ["The change looks fine to me."],
  "an error with a pass": [wrapped({ is_error: true })],
  "logged out": ["Invalid API key · Please run /login", 1],
  "over its rate limit": ["429 Too Many Requests: rate limit reached", 1],
};

const names = Object.keys(ANSWERS);
const gateOf = (name: string): string => `g${String(names.indexOf(name)).padStart(2, "0")}`;

class Situation {
  private constructor(
    readonly project: GauntletProject,
    private readonly outside: string
  ) {}

  /** Creates a project with a review for each answer, and a change. */
  static async create(): Promise<Situation> {
    const outside = await tempDir();
    for (const [name, [text, code = 0]] of Object.entries(ANSWERS)) {
      const gate = gateOf(name);
      await writeFile(join(outside, `${gate}.text`), text);
      const answer = `cat > /dev/null; [ ! -e '${outside}/pass' ] || { echo '${PASS}'; exit; }\n`;
      await writeFile(
        join(outside, `${gate}.sh`),
        `${answer}cat '${outside}/${gate}.text'; exit ${code}\n`
      );
    }
    const gates = names.map(gateOf);
    const reviews = Object.fromEntries(
      gates.map((gate) => [
        `.gauntlet/reviews/${gate}.md`,
        `---\ncli_preference: [${gate}]\n---\nLook.\n`,
      ])
    );
    const commands = gates.map((gate) => `    ${gate}: "sh '${outside}/${gate}.sh'"\n`).join("");
    const project = await GauntletProject.create(
      `cli:\n  commands:\n${commands}entry_points:\n  - path: src\n    reviews: [${gates.join(", ")}]\n`,
      {},
      { files: { ...reviews, "src/a.txt": lines(""), "src/caller.txt": "calls\n" } }
    );
    await project.write("src/a.txt", lines("changed"));
    return new Situation(project, outside);
  }

  get folders(): readonly string[] {
    return [this.project.dir, this.outside];
  }

  async passesFromNowOn(): Promise<void> {
    await writeFile(join(this.outside, "pass"), "");
  }

  /** Marks every violation as fixed, as an agent does. */
  async claimFixes(): Promise<void> {
    for (const file of await this.project.logs()) {
      if (!file.endsWith(".1.json") || !file.startsWith("review_")) continue;
      const review = JSON.parse(await this.project.read(`gauntlet_logs/${file}`)) as StoredReview;
      for (const one of review.violations) {
        Object.assign(one, { status: "fixed", result: "put it right now" });
      }
      await this.project.write(`gauntlet_logs/${file}`, JSON.stringify(review));
    }
  }

  /** Returns the cells of each answer: verdict, agent, person. */
  async run(): Promise<Map<string, string>> {
    const result = await this.project.run();
    return new Map(
      await Promise.all(
        names.map(async (name) => [name, await this.#cell(result, gateOf(name))] as const)
      )
    );
  }

  async #cell({ gates, warnings }: RunResult, gate: string): Promise<string> {
    const found = gates.find((one) => one.gate === gate);
    const [slot] = found?.slots ?? [];
    const open =
      slot?.outcome === "failed" && slot.jsonPath !== undefined
        ? (
            JSON.parse(
              await this.project.read(slot.jsonPath.slice(this.project.dir.length + 1))
            ) as StoredReview
          ).violations
        : [];
    const agent = open.map(
      ({ file, line, issue, priority }) => `${priority} ${file}:${line} ${issue}`
    );
    const told = warnings
      .filter((text) => text.includes(`review:src:${gate} `))
      .map((text) => text.replace(/^.* was not reviewed by \S+ /, ""));
    const person = [...(slot?.leftOut ?? []), ...told];
    return [
      found?.outcome ?? "not run",
      ...(agent.length === 0 ? [] : [`agent: ${agent.join("; ")}`]),
      ...(person.length === 0 ? [] : [`person: ${person.join("; ")}`]),
    ].join(" · ");
  }
}

/** Twenty lines, of which the eighth may be changed. */
function lines(eighth: string): string {
  return Array.from({ length: 20 }, (_, i) => `line ${i + 1}${i === 7 ? eighth : ""}\n`).join("");
}

/** The runs after the first one. */
const SITUATIONS: Record<string, (situation: Situation) => Promise<Map<string, string>>> = {
  "after a real fix": async (situation) => {
    await situation.claimFixes();
    await situation.project.write(
      "src/a.txt",
      lines("right").replace("line 13", "line 13 right").replace("line 1\n", "line 1 right\n")
    );
    await situation.project.write("src/caller.txt", "calls right\n");
    await situation.project.write("src/a.test.txt", "tests\n");
    await situation.passesFromNowOn();
    return await situation.run();
  },
  "after a claimed fix": async (situation) => {
    await situation.claimFixes();
    await situation.project.write("src/b.txt", "other\n");
    return await situation.run();
  },
};

test("every answer has its verdict in every situation (G12, G13, G14)", async () => {
  const columns: { title: string; cells: Map<string, string> }[] = [];
  const begin = restoring(async () => {
    const situation = await Situation.create();
    columns.push({ title: "first run", cells: await situation.run() });
    return situation;
  });
  for (const [title, play] of Object.entries(SITUATIONS)) {
    columns.push({ title, cells: await play(await begin()) });
  }
  const rows = names.map((name) => [name, ...columns.map(({ cells }) => cells.get(name) ?? "")]);
  const table = markdownTable([["answer", ...columns.map(({ title }) => title)], ...rows]);
  await expect(`${table}\n`).toMatchFileSnapshot("reviewTable.md");
});
