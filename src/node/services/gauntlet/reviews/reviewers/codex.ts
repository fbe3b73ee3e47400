import { modelFlag, type Reviewer } from "@/node/services/gauntlet/reviews/reviewer";

/**
 * Codex. The prompt on stdin (`-`), its progress on stderr, and on stdout the last message alone.
 *
 * Its sandbox lets no command write, and nobody is asked for more: `exec` has no approvals. The project's AGENTS.md,
 * which the change itself may have touched, is left out.
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
