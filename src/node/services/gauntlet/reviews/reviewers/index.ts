/** The reviewers that can run a review (G12). */
import type { Reviewer } from "@/node/services/gauntlet/reviews/reviewer";
import { claude } from "@/node/services/gauntlet/reviews/reviewers/claude";
import { codex } from "@/node/services/gauntlet/reviews/reviewers/codex";
import { commandReviewer } from "@/node/services/gauntlet/reviews/reviewers/command";
import { cursor } from "@/node/services/gauntlet/reviews/reviewers/cursor";
import { gemini } from "@/node/services/gauntlet/reviews/reviewers/gemini";
import { githubCopilot } from "@/node/services/gauntlet/reviews/reviewers/githubCopilot";
import { opencode } from "@/node/services/gauntlet/reviews/reviewers/opencode";
import { qwen } from "@/node/services/gauntlet/reviews/reviewers/qwen";

const KNOWN: ReadonlyMap<string, Reviewer> = new Map(
  [claude, codex, gemini, githubCopilot, cursor, opencode, qwen].map((reviewer) => [
    reviewer.name,
    reviewer,
  ])
);

export const REVIEWER_NAMES: readonly string[] = [...KNOWN.keys()];

/** Returns the user's own command with this name, otherwise the known program with it. */
export function reviewerFor(
  name: string,
  commands: Readonly<Record<string, string>>
): Reviewer | undefined {
  const script = Object.hasOwn(commands, name) ? commands[name] : undefined;
  return script === undefined ? KNOWN.get(name) : commandReviewer(name, script);
}
