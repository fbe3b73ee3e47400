/** A review gate at real stops, whose reviewer is a real program with a scripted model (G12, G13). */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import "@test/helpers/freshBuild";
import { GauntletProject, PROJECT_ENV } from "@test/helpers/gauntlet/gauntletProject";
import { fileOf, type StoredReview } from "@test/helpers/gauntlet/reviewProject";
import { NOT_ACTIVE, stop } from "@test/helpers/gauntlet/stopHookCommand";
import { tempDir } from "@test/helpers/tempDir";
import type { HostReply } from "@test/hosts/model/wireFormat";
import * as rig from "@test/hosts/rig/ReviewerRig";
import { testedReviewers } from "@test/hosts/rig/reviewers";

const PASS = '{"status":"pass","violations":[]}';
const AT_CHANGE = { file: "src/a.txt", line: 8, issue: "It is wrong.", priority: "critical" };

describe.each(testedReviewers())("%s", (_, driver) => {
  describe("as the reviewer of a gate", () => {
    test("blocks for a critical violation in an unchanged file (G12)", async () => {
      const gate = await Gate.create(driver, [fail({ ...AT_CHANGE, file: "src/b.txt", line: 1 })]);
      const { decision, reason } = await gate.stop();
      expect(gate.reviewer.model.said[0]).toContain("line 8 changed");
      expect(decision).toBe("block");
      expect(reason).toContain("src/b.txt:1");
      expect(reason).toContain(" (outside of the change): It is wrong.");
      expect(gate.reviewer.network.wanted).toEqual([]);
    });

    test.each([
      { trouble: "is logged out", status: 401, advice: "log in" },
      { trouble: "fails", status: 400, advice: "" },
    ])(
      "that $trouble lets the next one decide, and the user sees it (G13)",
      async ({ status, advice }) => {
        const gate = await Gate.create(driver, [{ status, times: 100 }], fail(AT_CHANGE).text);
        const { decision, reason, systemMessage } = await gate.stop();
        expect([decision, gate.reviewer.model.requests.length > 0]).toEqual(["block", true]);
        expect(reason).toContain("It is wrong.");
        expect(await gate.reviewedBy("second")).toBe("fail");
        expect(systemMessage).toContain(`review:src:cq was not reviewed by ${driver.name}: `);
        expect(systemMessage).toContain(advice);
      }
    );

    test("does not pass with an answer that is cut at the last brace, also the second time (G12)", async () => {
      const text = PASS.slice(0, -1);
      const gate = await Gate.create(driver, [{ text, times: 9 }]);
      const answer = await gate.stop();
      expect(gate.reviewer.model.requests.length).toBe(2);
      expect(answer.status).toBe("infrastructure_error");
      expect(answer.systemMessage).toContain("the JSON answer is invalid or incomplete");
      expect(await gate.reviewedBy(driver.name)).toBe("error");
    });

    test("does not pass with an answer at the limit of its model's output (G12)", async () => {
      const text = JSON.stringify({ status: "pass", violations: [AT_CHANGE] }).slice(0, -3);
      const gate = await Gate.create(driver, [{ text, isCut: true, times: 99 }]);
      const answer = await gate.stop();
      expect(answer.status).toBe("infrastructure_error");
      expect(answer.systemMessage).toContain("the changes were not verified");
      expect(await gate.reviewedBy(driver.name)).toBe("error");
    });
  });
});

/** A project with a review, and a change of line 8 of `src/a.txt`. */
class Gate {
  private constructor(
    private readonly driver: rig.ReviewerDriver,
    readonly project: GauntletProject,
    readonly reviewer: rig.PlacedReviewer
  ) {}

  /** @param second what a second reviewer prints, if there is one */
  static async create(driver: rig.ReviewerDriver, replies: readonly HostReply[], second?: string) {
    const answer = join(await tempDir(), "answer");
    await writeFile(answer, second ?? "");
    const names = second === undefined ? driver.name : `${driver.name}, second`;
    const project = await GauntletProject.create(
      `cli:\n  default_preference: [${names}]\n  commands:\n    second: "cat '${answer}'"\n` +
        "entry_points:\n  - path: src\n    reviews: [cq]\n"
    );
    const model = driver.model === undefined ? "" : `model: ${driver.model}\n`;
    await project.write(
      ".gauntlet/reviews/cq.md",
      `---\nparallel: true\n${model}---\nLook for trouble.\n`
    );
    await project.write("src/a.txt", lines(""));
    await project.write("src/b.txt", "calls\n");
    await project.commit("before");
    await project.git("branch", "--force", "main", "HEAD");
    await project.write("src/a.txt", lines(" changed"));
    return new Gate(driver, project, await rig.placeReviewer(driver, project.dir, replies));
  }

  async stop() {
    const { env } = this.reviewer;
    const args = ["--verify", "--limit", "300"];
    return await stop(this.project.dir, NOT_ACTIVE, { args, env: { ...PROJECT_ENV, ...env } });
  }

  /** Returns the status of this reviewer's answer in the first run. */
  async reviewedBy(reviewer: string): Promise<string> {
    return (await this.#review(1, reviewer)).status;
  }

  async #review(run: number, reviewer: string): Promise<StoredReview> {
    return JSON.parse(await this.project.read(fileOf(run, 1, reviewer))) as StoredReview;
  }
}

function fail(violation: object): HostReply {
  return { text: JSON.stringify({ status: "fail", violations: [violation] }) };
}

/** Twenty lines, of which the eighth may be changed. */
function lines(eighth: string): string {
  return Array.from({ length: 20 }, (_, i) => `line ${i + 1}${i === 7 ? eighth : ""}\n`).join("");
}
