/** Projects whose reviewer reports a violation, for scenarios about violations. */
import { ReviewedProject } from "@test/helpers/gauntlet/reviewedProject";

const FAIL = {
  status: "fail",
  violations: [{ file: "src/a.txt", line: 1, issue: "it is wrong", priority: "high" }],
};

/** Creates a project with a change in which the reviewer finds a violation. */
export async function failingReview(): Promise<ReviewedProject> {
  const reviewed = await ReviewedProject.create();
  await reviewed.fakes.tell("claude", { answer: FAIL }, {});
  await reviewed.project.write("src/a.txt", "wrong\n");
  return reviewed;
}

/** Creates a project whose stop failed, and whose violation the agent has marked as skipped since. */
export async function skippedReview(): Promise<ReviewedProject> {
  const reviewed = await failingReview();
  await reviewed.stop();
  await reviewed.mark(1, { status: "skipped", result: "a matter of taste" });
  return reviewed;
}
