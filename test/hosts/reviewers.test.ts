/** The reviewers of the gauntlet with real programs, whose models are scripts (G12, G13). */
import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Reply } from "@/node/services/gauntlet/reviews/invokeReviewer";
import { testedReviewers } from "@test/hosts/rig/reviewers";
import { ReviewerRig } from "@test/hosts/rig/ReviewerRig";

const VIOLATION = { file: "a.txt", line: 1, issue: "It is wrong.", priority: "high" };
const ANSWER = JSON.stringify({ status: "fail", violations: [VIOLATION] });
/** Longer than an argument of a program may be on Linux. */
const PROMPT = `The first line.\n${"A line of the change.\n".repeat(10_000)}The last line.`;

describe.each(testedReviewers())("%s", (_, driver) => {
  describe("as a reviewer", () => {
    test("gets the whole prompt, and its answer is found", async () => {
      const rig = await ReviewerRig.create(driver, () => [{ text: `Here it is:\n${ANSWER}` }]);
      const reply = await rig.ask(PROMPT);
      expect(reply).toMatchObject({ kind: "answer", answer: { status: "fail" } });
      expect(rig.model.said[0]).toContain(PROMPT);
      expect(rig.network.wanted).toEqual([]);
    });

    test("cannot write with any of its tools", async () => {
      const rig = await ReviewerRig.create(driver, (project) => [
        ...driver.writes(`${project}/written`).map((call) => ({ tools: [call] })),
        { text: ANSWER },
      ]);
      const reply = await rig.ask("Review it.");
      expect(rig.project.git("status", "--porcelain")).toBe("");
      expect(existsSync(rig.project.at("written"))).toBe(false);
      expect(reply.kind, JSON.stringify(reply)).toBe("answer");
      expect(rig.model.requests.length).toBe(driver.writes("").length + 1);
    });

    test("at a rate limit lets another one answer, or tries until its time limit", async () => {
      const { triesAgainForS = 0 } = driver;
      const rig = await ReviewerRig.create(driver, () => [{ status: 429, times: 1_000 }]);
      const givesUp = Number.isFinite(triesAgainForS);
      const reply = await rig.ask("Review it.", givesUp ? 150_000 : 20_000);
      // One that does not give up ends at its time limit.
      expect(reply.kind, JSON.stringify(reply)).toBe(givesUp ? "rateLimited" : "failed");
    }, 180_000);

    test("leaves no process after its time limit", async () => {
      const rig = await ReviewerRig.create(driver, () => [
        { before: () => new Promise(() => undefined) },
      ]);
      const reply = await rig.ask("Review it.", 30_000);
      expect(reply.kind).toBe("failed");
      expect(messageOf(reply)).toContain("Timed out after 30 s");
      expect(rig.model.requests.length).toBe(1);
      expect(await rig.processes()).toEqual([]);
    });
  });
});

function messageOf(reply: Reply): string {
  return "message" in reply ? reply.message : "";
}
