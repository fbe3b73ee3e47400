/** Renders the hooks of Claude Code's files with what would become of them here. */
import type { IdlePlugin } from "@/cli/claudeHooks/findFiles";
import type { JudgedFile, JudgedHandler } from "@/cli/claudeHooks/judge";
import { alignColumns, oneLine, shortPath, withinProject } from "@/cli/render/format";
import type { Paint, Style } from "@/cli/render/style";
import { clip, plural } from "@/common/text";
import { TITLE_CHARS } from "@/common/limits";

interface ClaudeHooksView {
  readonly projectDir: string;
  readonly home: string;
  readonly style: Style;
}

/** Maximum number of hooks that are shown for one file. */
const MAX_SHOWN = 50;

export function renderClaudeHooks(
  files: readonly JudgedFile[],
  idle: readonly IdlePlugin[],
  view: ClaudeHooksView
): string {
  const { projectDir, style } = view;
  const blocks = [
    `Hooks of Claude Code in ${projectDir}`,
    ...files.flatMap((file) => renderFile(file, view)),
    ...renderPlugins(idle, view),
  ];
  return `${blocks.map((block, i) => (i === 0 ? style.bold(block) : block)).join("\n\n")}\n`;
}

function renderFile(
  { path, handlers, plugin }: JudgedFile,
  { projectDir, home, style }: ClaudeHooksView
): string[] {
  if (handlers.length === 0) return [];
  const rows = handlers
    .slice(0, MAX_SHOWN)
    .map(({ event, title, line, verdict, text }) => [
      `  ${oneLine(event)}`,
      clip(withinProject(title, projectDir), TITLE_CHARS),
      `:${line}`,
      paintOf(verdict, style)(oneLine(text)),
    ]);
  const rest = handlers.length - rows.length;
  const name = style.bold(shortPath(path, projectDir, home));
  return [
    [
      plugin === undefined ? name : `${name}  plugin ${oneLine(plugin.id)}`,
      ...alignColumns(rows),
      ...(rest === 0 ? [] : [`  … and ${plural(rest, "more hook")}`]),
    ].join("\n"),
  ];
}

function paintOf(verdict: JudgedHandler["verdict"], style: Style): Paint {
  if (verdict === "runs") return style.green;
  return verdict === "warned" ? style.yellow : style.dim;
}

function renderPlugins(
  plugins: readonly IdlePlugin[],
  { projectDir, home, style }: ClaudeHooksView
): string[] {
  const rows = plugins
    .slice(0, MAX_SHOWN)
    .map(({ id, file, problem }) => [
      `  ${oneLine(id)}`,
      oneLine(
        problem ??
          `enabled in ${shortPath(file, projectDir, home)}, has no Stop or SubagentStop hook`
      ),
    ]);
  return rows.length === 0
    ? []
    : [[style.bold("Plugins without hooks that run here"), ...alignColumns(rows)].join("\n")];
}
