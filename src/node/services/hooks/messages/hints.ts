/** Hints about hooks that were written for Claude Code. */
import { ownCommand } from "@/common/ownCommand";

/** @param files the files that define the hooks */
export function claudeHooksNotImported(files: readonly string[]): string {
  return `the Stop hooks of Claude Code in ${files.join(" and ")} do not run here; run "${ownCommand()} hooks import" to see them and to turn them on, or set "importClaudeHooks": false to end this hint`;
}

const READS_CLAUDE_TRANSCRIPT =
  "this hook seems to read the transcript in the format of Claude Code, but it gets the one of Mux";

export const ADD_DIALECT = `${READS_CLAUDE_TRANSCRIPT}; add "dialect": "claude" to this handler, or "dialect": "mux" to end this hint`;

/** @param path of a script that is itself the hook */
export function scriptNeedsDialect(path: string): string {
  return `${READS_CLAUDE_TRANSCRIPT}; move it to another path than ${path}, and configure it in settings.json as a command with "dialect": "claude"`;
}
