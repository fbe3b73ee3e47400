import { modelFlag, type Reviewer } from "@/node/services/gauntlet/reviews/reviewer";

/**
 * GitHub Copilot CLI. The prompt on stdin, which it reads where there is no `-p`; with `-s` nothing but the answer on
 * stdout.
 *
 * Of its tools those that read; writing and the shell are denied on top, which outranks every leave, and the variable
 * that would give leave for everything is turned off. The project's instructions, which the change itself may have
 * touched, are left out.
 *
 * Source: https://docs.github.com/en/copilot/reference/copilot-cli-reference/cli-programmatic-reference, …/how-tos/
 * copilot-cli/use-copilot-cli/allowing-tools, and github/copilot-cli#1046 for stdin, as of 2026-11.
 */
export const githubCopilot: Reviewer = {
  name: "github-copilot",
  program: "copilot",
  passEnv: ["COPILOT_*", "GH_TOKEN", "GITHUB_TOKEN", "GH_HOST"],
  call: (request) => ({
    command: {
      file: "copilot",
      args: [
        "-s",
        "--no-ask-user",
        "--no-custom-instructions",
        "--available-tools=view,grep,glob",
        "--deny-tool=write",
        "--deny-tool=shell",
        ...modelFlag(request),
      ],
    },
    stdin: request.prompt,
    env: { COPILOT_ALLOW_ALL: "false", COPILOT_AUTO_UPDATE: "false" },
  }),
  unwrapOutput: (stdout) => stdout,
};
