import { unwrapResult } from "@/node/services/gauntlet/reviews/answers/unwrapCliOutput";
import { modelFlag, type Reviewer } from "@/node/services/gauntlet/reviews/reviewer";

/**
 * Qwen Code. Reads the prompt from stdin, and prints a JSON array to stdout, whose last element has the text in
 * `result`.
 *
 * Only its reading tools are available, and without a terminal it denies everything that needs permission. Safe mode
 * turns off hooks, extensions, MCP servers and the project's QWEN.md, because the change itself may have edited them.
 *
 * Source: https://qwenlm.github.io/qwen-code-docs/en/users/features/headless, and `--help` of 0.24.4, as of 2026-11.
 */
export const qwen: Reviewer = {
  name: "qwen",
  program: "qwen",
  passEnv: ["QWEN_*", "OPENAI_*", "DASHSCOPE_*", "BAILIAN_*"],
  call: (request) => ({
    command: {
      file: "qwen",
      args: [
        "--output-format=json",
        "--approval-mode=default",
        "--core-tools=read_file,grep_search,glob,list_directory",
        "--safe-mode",
        ...modelFlag(request),
      ],
    },
    stdin: request.prompt,
  }),
  unwrapOutput: (stdout) => unwrapResult(stdout) ?? stdout,
};
