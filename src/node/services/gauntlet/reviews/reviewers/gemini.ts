import { posix } from "node:path";
import { unwrapResponse } from "@/node/services/gauntlet/reviews/answers/unwrapCliOutput";
import { modelFlag, type Reviewer } from "@/node/services/gauntlet/reviews/reviewer";

/** A policy that overrides all others: tools that it does not allow are denied. */
const READ_ONLY_POLICY = `[[rule]]
toolName = "*"
decision = "deny"
priority = 900

[[rule]]
toolName = ["read_file", "read_many_files", "list_directory", "glob", "grep_search"]
decision = "allow"
priority = 950
`;

/**
 * Gemini CLI. Reads the prompt from stdin, and prints one JSON object to stdout with the text in `response`.
 *
 * No approval mode is read-only without a terminal: the model may enter plan mode and leave it again by itself, for a
 * mode in which everything is approved (`exit-plan-mode.ts`). So a policy of the administrator's rank denies every tool
 * that does not read. Without `GEMINI_CLI_TRUST_WORKSPACE` it would not start in a folder that the user has not
 * trusted; the gauntlet runs the project's commands as well.
 *
 * Source: https://geminicli.com/docs/cli/headless, /reference/policy-engine, /cli/trusted-folders, and the repository
 * google-gemini/gemini-cli of 2026-08, as of 2026-11.
 */
export const gemini: Reviewer = {
  name: "gemini",
  program: "gemini",
  passEnv: ["GEMINI_*", "GOOGLE_*"],
  fileFor: () => ({ name: "read-only.toml", text: READ_ONLY_POLICY }),
  call: (request) => ({
    command: {
      file: "gemini",
      args: [
        "--output-format=json",
        "--approval-mode=default",
        // Relative, because a comma in the project's path would split it into two paths, and missing files are ignored.
        `--admin-policy=${posix.relative(request.cwd, request.file)}`,
        ...modelFlag(request),
      ],
    },
    stdin: request.prompt,
    env: { GEMINI_CLI_TRUST_WORKSPACE: "true" },
  }),
  unwrapOutput: (stdout) => unwrapResponse(stdout) ?? stdout,
};
