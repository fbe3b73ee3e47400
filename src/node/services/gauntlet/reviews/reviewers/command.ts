import { unwrapAny } from "@/node/services/gauntlet/reviews/answers/unwrapCliOutput";
import type { Reviewer } from "@/node/services/gauntlet/reviews/reviewer";

/**
 * Creates a reviewer from a shell command of the user (`cli.commands`): the prompt on stdin, JSON on stdout, alone or
 * in the format of a known program. A review's `model` is in `GAUNTLET_REVIEW_MODEL`.
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
      ...(model === undefined ? {} : { env: { GAUNTLET_REVIEW_MODEL: model } }),
    }),
    unwrapOutput: unwrapAny,
  };
}
