import { unwrapResult } from "@/node/services/gauntlet/reviews/answers/unwrapCliOutput";
import { modelFlag, type Reviewer } from "@/node/services/gauntlet/reviews/reviewer";

/**
 * Cursor's CLI, `agent`. Whether it reads a prompt from stdin depends on its version and is documented nowhere, so the
 * prompt is a file that the argument names. One JSON object on stdout with the text in `result`.
 *
 * Ask mode reads and answers, and edits nothing. In a workspace that the person has not trusted it would not start at
 * all; where a gauntlet runs, the commands of the project run as well.
 *
 * Source: https://cursor.com/docs/cli/using, /cli/reference/parameters and /cli/reference/output-format, as of 2026-11.
 */
export const cursor: Reviewer = {
  name: "cursor",
  program: "agent",
  passEnv: ["CURSOR_*"],
  fileFor: (prompt) => ({ name: "prompt.md", text: prompt }),
  call: (request) => ({
    command: {
      file: "agent",
      args: [
        "--print",
        "--output-format=json",
        "--mode=ask",
        "--trust",
        ...modelFlag(request),
        `Read the whole file ${request.file} and do what it says. It is your only task.`,
      ],
    },
  }),
  unwrapOutput: (stdout) => unwrapResult(stdout) ?? stdout,
};
