/**
 * Finds for `hooks import` the hooks in Claude Code's settings files and in the plugins that they enable, also those
 * that cannot run (H46). Also returns enabled plugins without a Stop hook, and files that cannot be used. Of the files
 * that an administrator manages, it returns only their problems.
 */
import { formatDiagnostic, type Diagnostic } from "@/common/diagnostics";
import type { Files } from "@/node/runtime/HookRuntime";
import * as engine from "@/node/services/hooks/index";
import { ok, type Result } from "neverthrow";
import type { CliPlace } from "@/cli/context";
import type { CliWorkspace } from "@/cli/remoteWorkspace";
import { readSettingsText } from "@/cli/settingsFile";
import { isJsonObject } from "@/common/json";
import { formatKeyPath } from "@/common/source/SourceNode";
import { MAX_HANDLERS } from "@/common/limits";

/** A settings file of Claude Code, or a file with hooks of a plugin. */
export interface FoundFile extends ClaudeFile {
  readonly plugin?: engine.SettingsSource["plugin"];
  /** Why no hook of the file can run. */
  readonly obstacle?: string;
  /** The hooks as the engine reads them, with the reason if they are turned off (H39). */
  readonly known: readonly engine.FoundHook[];
  /** Why all hooks of the file are turned off. */
  readonly off?: string | undefined;
}

/** An enabled plugin in which no Stop or SubagentStop hook was found. */
export interface IdlePlugin {
  /** `name@marketplace`. */
  readonly id: string;
  /** The file that enables it. */
  readonly file: string;
  /** Why its hooks cannot be read; absent if it has none. */
  readonly problem?: string;
}

/** Returns the files in the order in which their hooks run, and messages about files that cannot be used. */
export async function findClaudeHooks(place: CliWorkspace & Pick<CliPlace, "home" | "env">) {
  const { runtime, projectDir } = place;
  const found = await engine.findClaude(runtime, projectDir, place, true);
  const { diagnostics } = found;
  const problems = found.sources.flatMap(({ isManaged, settings }) =>
    isManaged === true ? settings.diagnostics.map(formatDiagnostic) : []
  );
  const sources = engine
    .restrictClaude(found.sources, true)
    .filter(({ isManaged }) => isManaged !== true);
  const files: FoundFile[] = [];
  for (const source of sources) {
    const read = await readClaudeFile(runtime.host, source.file);
    if (read.isErr()) problems.push(read.error);
    else if (read.value !== undefined) files.push(withPlugin(read.value, source));
  }
  const active = new Set(sources.map(({ plugin }) => plugin?.id));
  const idle = new Map<string, IdlePlugin>();
  for (const { file, settings } of sources) {
    for (const [id, { isOn, line, column }] of settings.claude?.plugins ?? []) {
      if (!isOn || active.has(id)) continue;
      const diagnostic = diagnostics.find(
        (each) => each.file === file && each.line === line && each.column === column
      );
      idle.set(id, { id, file, problem: diagnostic?.message });
    }
  }
  return { files, idle: [...idle.values()], problems };
}

function withPlugin(
  file: ClaudeFile,
  { plugin, obstacle, settings, off }: engine.SettingsSource
): FoundFile {
  const known = settings.hooks;
  if (plugin === undefined) return { ...file, known, off };
  const { handlers } = file;
  // A list in a manifest has no positions.
  const inList = known.map((hook) => ({ ...hook, title: engine.hookTitle(hook.handler) }));
  const all = handlers.length === 0 ? inList : handlers;
  return { ...file, handlers: all, plugin, obstacle, known, off };
}

/** One handler of a file, whether or not this engine knows its event and its type. */
export interface ClaudeHandler {
  readonly event: string;
  readonly line: number;
  readonly column: number;
  /** The command, URL or prompt, for the user. */
  readonly title: string;
  /** Absent if the engine does not know it. `problem` gives the reason. */
  readonly handler?: engine.HookHandler;
  readonly problem?: string;
}

interface ClaudeFile {
  readonly path: string;
  readonly handlers: readonly ClaudeHandler[];
}

/** Returns the handlers of a file, or undefined if there is no such file. An error explains why it cannot be used. */
async function readClaudeFile(
  files: Files,
  path: string
): Promise<Result<ClaudeFile | undefined, string>> {
  return (await readSettingsText(files, path)).andThen((text) =>
    text === undefined ? ok(undefined) : parse(path, text).mapErr(formatDiagnostic)
  );
}

function parse(path: string, text: string): Result<ClaudeFile, Diagnostic> {
  return engine.parseJsonc(path, text).andThen((root) =>
    engine.parseSettings(path, text).map(({ hooks, diagnostics }) => {
      const events = root.child("hooks")?.children ?? [];
      const nodes = events.flatMap(({ key: event }) =>
        engine.handlerNodes(root, event, engine.GROUPED_HOOKS).map((node) => ({ event, node }))
      );
      const handlers = nodes.slice(0, MAX_HANDLERS).map(({ event, node }): ClaudeHandler => {
        const { line, column } = node.place;
        const isHere = (at: { line: number; column: number }): boolean =>
          at.line === line && at.column === column;
        const known = hooks.find((hook) => hook.event === event && isHere(hook));
        const nodePath = formatKeyPath(node.path, node.source.format);
        const problem = diagnostics.find(
          ({ keyPath }) => keyPath === nodePath || keyPath.startsWith(`${nodePath}.`)
        );
        return {
          event,
          line,
          column,
          title: titleOf(node.toPlain()),
          handler: known?.handler,
          problem: problem?.message.replace(engine.HANDLER_SKIPPED, ""),
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
