/** Texts of `mux-stop-hooks hooks import`. */
import { plural } from "@/common/text";

export function hooksOfClaude(project: string): string {
  return `Hooks of Claude Code in ${project}`;
}

export function nothingToImport(files: readonly string[]): string {
  return `Claude Code has no Stop or SubagentStop hooks here. Searched: ${files.join(", ")}.`;
}

export const RUNS = "runs";

export function cannotRun(reason: string): string {
  return `cannot run: ${reason}`;
}

/** @param event as in Claude Code, such as `PreToolUse` */
export function otherEvent(event: string): string {
  return `never runs here: mux-stop-hooks has no event ${event} for hooks`;
}

/** @param events of handlers that start a program of the same folder */
export function mayDependOn(events: readonly string[]): string {
  return `may depend on what the hooks of ${events.join(" and ")} write, which never run here`;
}

/** @param parts of the hook, such as `terminalSequence` */
export function hasNoEffect(parts: readonly string[]): string {
  return `${parts.join(" and ")} ${parts.length === 1 ? "has" : "have"} no effect here`;
}

export const CLAUDE_MISSING =
  'it starts "claude", and there is no such program on PATH; install Claude Code or remove the hook';

export function moreHooks(count: number): string {
  return `… and ${plural(count, "more hook")}`;
}

/** @param id `name@marketplace` */
export function hooksOfPlugin(id: string): string {
  return `plugin ${id}`;
}

export const OTHER_PLUGINS = "Plugins without hooks that run here";

/** @param file that enables the plugin */
export function withoutStopHooks(file: string): string {
  return `enabled in ${file}, has no Stop or SubagentStop hook`;
}

export function alreadyImported(file: string): string {
  return `These hooks are imported already: ${file} has "importClaudeHooks": true.`;
}

export function wouldWrite(file: string): string {
  return `${file} would get "importClaudeHooks": true.`;
}

export function confirmImport(file: string): string {
  return `Write "importClaudeHooks": true to ${file}?`;
}

export const NOTHING_WRITTEN = "Nothing was written.";

export function written(file: string): string {
  return `${file} has "importClaudeHooks": true. The hooks count from your next message on.`;
}

/** A file of a higher layer has `"importClaudeHooks": false`. */
export function overridden(file: string): string {
  return `the key has no effect, because ${file} has "importClaudeHooks": false; change or remove it there, or choose another --layer`;
}
