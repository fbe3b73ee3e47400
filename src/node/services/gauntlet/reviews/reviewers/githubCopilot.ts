import { modelFlag, type Reviewer } from "@/node/services/gauntlet/reviews/reviewer";

/**
 * GitHub Copilot CLI. Reads the prompt from stdin if there is no `-p`. With `-s`, prints only the answer to stdout.
 *
 * Only its reading tools are available. Writing and the shell are denied as well, which overrides every permission, and
 * the variable that would allow everything is turned off. The project's instructions are ignored, because the change
 * itself may have edited them.
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
