import { unwrapTextParts } from "@/node/services/gauntlet/reviews/answers/unwrapCliOutput";
import { modelFlag, type Reviewer } from "@/node/services/gauntlet/reviews/reviewer";

const READ_ONLY = { "*": "deny", read: "allow", grep: "allow", glob: "allow", list: "allow" };

/**
 * opencode. Reads the prompt from stdin, and prints events to stdout: one JSON object per line, with the text in those
 * of type `text`.
 *
 * It uses the agent `plan`, whose edits are denied, and permissions that deny everything but reading. Without a
 * terminal, it rejects any request for permission.
 *
 * Source: https://opencode.ai/docs/cli, /agents and /permissions, and `cli/cmd/run.ts` of anomalyco/opencode, as of
 * 2026-11.
 */
export const opencode: Reviewer = {
  name: "opencode",
  program: "opencode",
  // The required keys depend on the provider that it is set up for.
  passEnv: ["OPENCODE_*", "ANTHROPIC_*", "OPENAI_*", "GEMINI_*", "GOOGLE_*", "OPENROUTER_*"],
  call: (request) => ({
    command: {
      file: "opencode",
      args: ["run", "--format=json", "--agent=plan", ...modelFlag(request)],
    },
    stdin: request.prompt,
    env: { OPENCODE_PERMISSION: JSON.stringify(READ_ONLY) },
  }),
  unwrapOutput: (stdout) => unwrapTextParts(stdout) ?? stdout,
};
