/**
 * `mux-stop-hooks list`: shows the entry points with their gates, and the main settings, as text or JSON (G30b). Also
 * finds gate names for the completion.
 */
import { posix } from "node:path";
import { type CliContext, EXIT, type ExitCode, printLine } from "@/cli/context";
import { inProject, type ConfiguredProject, type PlaceOption } from "@/cli/gauntlet/project";
import { publishedJson } from "@/cli/gauntlet/publishedJson";
import { alignColumns, oneLine, shortPath } from "@/cli/render/formatText";
import { styleFor, type Style } from "@/cli/render/style";
import { clip, visible, plural } from "@/common/safeText";
import type { GauntletConfig } from "@/node/services/gauntlet/config/loadConfig";
import type { EntryPoint, GateDefinition } from "@/node/services/gauntlet/domain/gate";

const MAX_COMMAND_CHARS = 100;

export async function list(
  options: PlaceOption & { readonly json?: boolean },
  context: CliContext
): Promise<ExitCode> {
  const print = (project: ConfiguredProject): Promise<ExitCode> => {
    const { dir, config, logDir } = project;
    const { stdout, home, env } = context;
    const { baseBranch, isDefaultBase, maxRetries, entryPoints } = config;
    const logs = posix.relative(dir, logDir);
    const facts = { projectDir: dir, baseBranch, logDir: logs, maxRetries, entryPoints };
    const text = () => render({ ...facts, isDefaultBase }, home, styleFor(stdout, env));
    const shown = options.json === true ? publishedJson("list", facts) : text();
    return Promise.resolve(printLine(context, shown));
  };
  return await inProject(context, print, options);
}

/** Returns the names of the gates of the project around the current folder; none if it cannot be read. */
export async function listGates(context: CliContext): Promise<string[]> {
  const names = new Set<string>();
  await inProject(context, ({ config: { entryPoints } }) => {
    for (const { gates } of entryPoints) for (const { name } of gates) names.add(name);
    return Promise.resolve(EXIT.ok);
  });
  return [...names];
}

function render(
  facts: Pick<GauntletConfig, "baseBranch" | "isDefaultBase" | "maxRetries" | "entryPoints"> & {
    readonly projectDir: string;
    readonly logDir: string;
  },
  home: string,
  style: Style
): string {
  const { projectDir, baseBranch, isDefaultBase, logDir, maxRetries, entryPoints } = facts;
  const base = isDefaultBase === true ? "no base_branch is set" : `base branch ${baseBranch}`;
  const settings = `${base}, logs in ${logDir}/, at most ${plural(maxRetries + 1, "attempt")} per turn`;
  const points = entryPoints.map((point) => renderPoint(point, projectDir, home, style));
  const none =
    "No entry points, so no gate ever runs; add folders to entry_points in .gauntlet/config.yml.";
  return [
    `Gauntlet of ${visible(projectDir)}\n${style.dim(visible(settings))}`,
    ...(points.length === 0 ? [none] : points),
  ].join("\n\n");
}

function renderPoint(
  { path, exclude, gates }: EntryPoint,
  dir: string,
  home: string,
  style: Style
): string {
  const without =
    exclude.length === 0 ? "" : style.dim(`  excludes ${exclude.map(visible).join(", ")}`);
  const rows = gates.map((gate) => [
    `  ${gate.kind}`,
    visible(gate.name),
    notesOf(gate),
    whatItDoes(gate),
    `${visible(shortPath(gate.source.file, dir, home))}:${gate.source.line}`,
  ]);
  const head = `${style.bold(visible(path))}${without}`;
  return [head, ...(rows.length === 0 ? [`  no gates`] : alignColumns(rows))].join("\n");
}

function notesOf(gate: GateDefinition): string {
  const notes = [
    ...(gate.kind === "review" && !gate.enabled ? ["turned off"] : []),
    ...(gate.parallel ? ["parallel"] : []),
    ...(gate.runInCi ? [] : ["not in CI"]),
    ...(gate.runLocally ? [] : [gate.runInCi ? "only in CI" : "not locally"]),
  ];
  return notes.join(", ");
}

function whatItDoes(gate: GateDefinition): string {
  if (gate.kind === "check") return clip(oneLine(gate.command), MAX_COMMAND_CHARS);
  return "builtin" in gate.prompt ? `built-in prompt ${gate.prompt.builtin}` : "its own prompt";
}
