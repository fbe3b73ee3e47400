import { unwrapAny } from "@/node/services/gauntlet/reviews/answers/unwrapCliOutput";
import type { Reviewer } from "@/node/services/gauntlet/reviews/reviewer";

/**
 * A shell command of the user's (`cli.commands`): the prompt on stdin, JSON on stdout, alone or in the shape of one of
 * the known programs. A review's `model` is in `GAUNTLET_REVIEW_MODEL`.
 *
 * What it runs is not known, so it gets the variables of the known model providers, and any that the user names
 * `GAUNTLET_REVIEW_…`.
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
