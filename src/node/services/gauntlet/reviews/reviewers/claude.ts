import { unwrapResult } from "@/node/services/gauntlet/reviews/answers/unwrapCliOutput";
import { modelFlag, type Reviewer } from "@/node/services/gauntlet/reviews/reviewer";

/**
 * Claude Code. The prompt on stdin, one JSON object on stdout with the text in `result`.
 *
 * Of its tools those that read, and without a terminal whatever would need leave is denied. Neither the project's
 * settings, whose hooks and memory the change itself may have touched, nor anybody's MCP servers take part. Plan mode is
 * not used: it asks the model for a plan.
 *
 * Source: https://code.claude.com/docs/en/cli-reference and /headless, as of 2026-11.
 */
export const claude: Reviewer = {
  name: "claude",
  program: "claude",
  passEnv: ["ANTHROPIC_*", "CLAUDE_*"],
  call: (request) => ({
    command: {
      file: "claude",
      args: [
        "-p",
        "--output-format=json",
        "--permission-mode=default",
        "--tools=Read,Grep,Glob",
        "--setting-sources=user",
        "--strict-mcp-config",
        "--no-session-persistence",
        ...modelFlag(request),
      ],
    },
    stdin: request.prompt,
  }),
  unwrapOutput: (stdout) => unwrapResult(stdout) ?? stdout,
};
