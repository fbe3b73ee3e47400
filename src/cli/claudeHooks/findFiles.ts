/** Finds the hooks of Claude Code's settings files and of the plugins that they enable (H46). */
import {
  readClaudeFile,
  type ClaudeFile,
  type ClaudeHandler,
} from "@/cli/claudeHooks/readClaudeFile";
import { formatDiagnostic } from "@/common/diagnostics";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import {
  findClaude,
  hookTitle,
  restrictClaude,
  type FoundHook,
  type SettingsSource,
} from "@/node/services/hooks/index";

/** A settings file of Claude Code, or a file with hooks of a plugin. */
export interface FoundFile extends ClaudeFile {
  readonly plugin?: SettingsSource["plugin"];
  /** Why no hook of the file can run. */
  readonly obstacle?: string;
  /** The hooks as the engine reads them, with the reason if they are turned off (H39). */
  readonly known: readonly FoundHook[];
  /** Why all hooks of the file are turned off. */
  readonly off?: string | undefined;
}

/** An enabled plugin without a Stop or SubagentStop hook that was found. */
export interface IdlePlugin {
  /** `name@marketplace`. */
  readonly id: string;
  /** The file that enables it. */
  readonly file: string;
  /** Why its hooks cannot be read; absent if it has none. */
  readonly problem?: string;
}

export interface ClaudeHooks {
  /** In the order in which their hooks run. */
  readonly files: readonly FoundFile[];
  readonly idle: readonly IdlePlugin[];
  /** Messages about files that cannot be used. */
  readonly problems: readonly string[];
}

export interface FindPlace {
  readonly runtime: HookRuntime;
  readonly projectDir: string;
  readonly home: string;
  readonly env: Readonly<NodeJS.ProcessEnv>;
}

export async function findClaudeHooks(place: FindPlace): Promise<ClaudeHooks> {
  const { runtime, projectDir } = place;
  const found = await findClaude(runtime, projectDir, place, true);
  const { diagnostics } = found;
  const problems = found.sources.flatMap(({ isManaged, settings }) =>
    isManaged === true ? settings.diagnostics.map(formatDiagnostic) : []
  );
  const sources = restrictClaude(found.sources, true).filter(({ isManaged }) => isManaged !== true);
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
      const found = diagnostics.find(
        (each) => each.file === file && each.line === line && each.column === column
      );
      idle.set(id, { id, file, problem: found?.message });
    }
  }
  return { files, idle: [...idle.values()], problems };
}

function withPlugin(
  file: ClaudeFile,
  { plugin, obstacle, settings, off }: SettingsSource
): FoundFile {
  const known = settings.hooks;
  if (plugin === undefined) return { ...file, known, off };
  const { handlers } = file;
  // A list in a manifest has no positions.
  const inList = settings.hooks.map(({ event, line, column, handler }): ClaudeHandler => ({
    event,
    line,
    column,
    title: hookTitle(handler),
    handler,
  }));
  return {
    ...file,
    handlers: handlers.length === 0 ? inList : handlers,
    plugin,
    obstacle,
    known,
    off,
  };
}
