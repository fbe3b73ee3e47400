import { modelFlag, type Reviewer } from "@/node/services/gauntlet/reviews/reviewer";

/**
 * Codex. Reads the prompt from stdin (`-`), and prints its progress to stderr and only the last message to stdout.
 *
 * Its sandbox does not let commands write, and `exec` has no approvals, so it requests no permission. The project's
 * AGENTS.md is ignored, because the change itself may have edited it.
 *
 * Source: https://developers.openai.com/codex/noninteractive and /cli/reference, as of 2026-11.
 */
export const codex: Reviewer = {
  name: "codex",
  program: "codex",
  passEnv: ["OPENAI_*", "CODEX_*", "AZURE_OPENAI_*"],
  call: (request) => ({
    command: {
      file: "codex",
      args: [
        "exec",
        "--sandbox=read-only",
        "--skip-git-repo-check",
        "--color=never",
        "--config=project_doc_max_bytes=0",
        ...modelFlag(request),
        "-",
      ],
    },
    stdin: request.prompt,
  }),
  unwrapOutput: (stdout) => stdout,
};
