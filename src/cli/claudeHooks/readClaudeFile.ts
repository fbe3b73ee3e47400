/** Reads the hooks of all events in a file of Claude Code or of a plugin. */
import { err, ok, type Result } from "neverthrow";
import { readSettingsText } from "@/cli/settingsText";
import { formatDiagnostic, type Diagnostic } from "@/common/diagnostics";
import { isJsonObject } from "@/common/json";
import { formatKeyPath } from "@/common/source/SourceNode";
import { MAX_HANDLERS } from "@/common/limits";
import type { Files } from "@/node/runtime/HookRuntime";
import {
  GROUPED_HOOKS,
  HANDLER_SKIPPED,
  handlerNodes,
  parseJsonc,
  parseSettings,
  type HookHandler,
} from "@/node/services/hooks/index";

/** One handler of a file, whether or not this engine knows its event and its type. */
export interface ClaudeHandler {
  readonly event: string;
  readonly line: number;
  readonly column: number;
  /** What it runs, for the user. */
  readonly title: string;
  /** Absent if the engine does not know it. `problem` gives the reason. */
  readonly handler?: HookHandler;
  readonly problem?: string;
}

export interface ClaudeFile {
  readonly path: string;
  readonly handlers: readonly ClaudeHandler[];
}

/** Returns undefined if there is no such file. An error is a message that explains why it cannot be used. */
export async function readClaudeFile(
  files: Files,
  path: string
): Promise<Result<ClaudeFile | undefined, string>> {
  const read = await readSettingsText(files, path);
  if (read.isErr()) return err(read.error);
  const text = read.value;
  if (text === undefined) return ok(undefined);
  return parse(path, text).mapErr(formatDiagnostic);
}

function parse(path: string, text: string): Result<ClaudeFile, Diagnostic> {
  return parseJsonc(path, text).andThen((root) =>
    parseSettings(path, text).map(({ hooks, diagnostics }) => {
      const events = root.child("hooks")?.children ?? [];
      const nodes = events.flatMap(({ key: event }) =>
        handlerNodes(root, event, GROUPED_HOOKS).map((node) => ({ event, node }))
      );
      const handlers = nodes.slice(0, MAX_HANDLERS).map(({ event, node }): ClaudeHandler => {
        const { line, column } = node.place;
        const isHere = (at: { line: number; column: number }): boolean =>
          at.line === line && at.column === column;
        const known = hooks.find((hook) => hook.event === event && isHere(hook));
        const path = formatKeyPath(node.path, node.source.format);
        const problem = diagnostics.find(
          ({ keyPath }) => keyPath === path || keyPath.startsWith(`${path}.`)
        );
        return {
          event,
          line,
          column,
          title: titleOf(node.toPlain()),
          handler: known?.handler,
          problem: problem?.message.replace(HANDLER_SKIPPED, ""),
        };
      });
      return { path, handlers };
    })
  );
}

function titleOf(fields: unknown): string {
  if (!isJsonObject(fields)) return "";
  const { type, command, args, url, prompt } = fields;
  const rest: unknown[] = Array.isArray(args) ? args : [];
  const words = [command ?? url ?? prompt ?? type, ...rest];
  return words.filter((word) => typeof word === "string").join(" ");
}
