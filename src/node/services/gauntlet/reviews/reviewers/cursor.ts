import { unwrapResult } from "@/node/services/gauntlet/reviews/answers/unwrapCliOutput";
import { modelFlag, type Reviewer } from "@/node/services/gauntlet/reviews/reviewer";
import { promptInFile } from "@/node/services/gauntlet/messages/reviewPrompt";

/**
 * Cursor's CLI, `agent`. Its support for a prompt on stdin depends on the version and is not documented, so the prompt
 * is in a file that the argument names. Prints one JSON object to stdout with the text in `result`.
 *
 * Ask mode reads and answers, and edits nothing. Without `--trust` it would not start in a workspace that the user has
 * not trusted; the gauntlet runs the project's commands as well.
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
        promptInFile(request.file),
      ],
    },
  }),
  unwrapOutput: (stdout) => unwrapResult(stdout) ?? stdout,
};
