import { unwrapAny } from "@/node/services/gauntlet/reviews/answers/unwrapCliOutput";
import { nonceIn } from "@/node/services/gauntlet/reviews/prompt";
import type { Reviewer } from "@/node/services/gauntlet/reviews/reviewer";

/**
 * Creates a reviewer from a shell command of the user (`cli.commands`): the prompt on stdin, JSON on stdout, alone or
 * in the format of a known program. A review's `model` is in `GAUNTLET_REVIEW_MODEL`, and the nonce of its answer in
 * `GAUNTLET_REVIEW_NONCE`.
 *
 * The programs that it runs are unknown, so it gets the variables of the known model providers, and any variables that
 * the user names `GAUNTLET_REVIEW_…`.
 */
export function commandReviewer(name: string, script: string): Reviewer {
  return {
    name,
    passEnv: [
      "GAUNTLET_REVIEW_*",
      "ANTHROPIC_*",
      "CLAUDE_*",
      "OPENAI_*",
      "GEMINI_*",
      "GOOGLE_*",
      "OPENROUTER_*",
      "OLLAMA_*",
    ],
    call: ({ prompt, model }) => ({
      command: { script },
      stdin: prompt,
      env: {
        GAUNTLET_REVIEW_NONCE: nonceIn(prompt),
        ...(model === undefined ? {} : { GAUNTLET_REVIEW_MODEL: model }),
      },
    }),
    unwrapOutput: unwrapAny,
  };
}
