import { posix } from "node:path";
import { unwrapResponse } from "@/node/services/gauntlet/reviews/answers/unwrapCliOutput";
import { modelFlag, type Reviewer } from "@/node/services/gauntlet/reviews/reviewer";

/** In force before every other policy: what is not named here is denied. */
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
 * Gemini CLI. The prompt on stdin, one JSON object on stdout with the text in `response`.
 *
 * No approval mode is read-only without a terminal: there the model may enter plan mode and leave it again by itself,
 * and what it leaves it for is a mode in which everything is approved (`exit-plan-mode.ts`). So a policy of the
 * administrator's rank denies every tool but those that read. In a folder that the person has not trusted it would not
 * start at all; where a gauntlet runs, the commands of the project run as well.
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
        // A path with a comma would be taken for two, and what is not there is passed over: not the whole path of a project.
        `--admin-policy=${posix.relative(request.cwd, request.file)}`,
        ...modelFlag(request),
      ],
    },
    stdin: request.prompt,
    env: { GEMINI_CLI_TRUST_WORKSPACE: "true" },
  }),
  unwrapOutput: (stdout) => unwrapResponse(stdout) ?? stdout,
};
