import { unwrapResult } from "@/node/services/gauntlet/reviews/answers/unwrapCliOutput";
import { modelFlag, type Reviewer } from "@/node/services/gauntlet/reviews/reviewer";

/**
 * Claude Code. Reads the prompt from stdin, and prints one JSON object to stdout with the text in `result`.
 *
 * Only its reading tools are available, and without a terminal it denies everything that needs permission. It loads
 * neither the project's settings, whose hooks and memory the change itself may have edited, nor any MCP servers. Plan
 * mode is not used: it makes the model write a plan.
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
