/** `mux-stop-hooks list`: shows the entry points and their gates (G30b). Runs no gates. */
import { posix } from "node:path";
import type { CliContext } from "@/cli/context";
import { EXIT, type ExitCode } from "@/cli/exitCodes";
import { inProject, type ConfiguredProject, type PlaceOption } from "@/cli/gauntlet/project";
import { publishedJson } from "@/cli/gauntlet/publishedJson";
import { alignColumns, oneLine, shortPath } from "@/cli/render/format";
import { styleFor, type Style } from "@/cli/render/style";
import { clip, visible, plural } from "@/common/text";
import type { EntryPoint, GateDefinition } from "@/node/services/gauntlet/domain/gate";

export interface GauntletListOptions extends PlaceOption {
  readonly json?: boolean;
}

const MAX_COMMAND_CHARS = 100;

export async function list(options: GauntletListOptions, context: CliContext): Promise<ExitCode> {
  const print = (project: ConfiguredProject): Promise<ExitCode> => {
    const text =
      options.json === true
        ? publishedJson("list", toJson(project))
        : `${render(project, context.home, styleFor(context.stdout, context.env))}\n`;
    context.stdout.write(text);
    return Promise.resolve(EXIT.ok);
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

function toJson({ dir, config, logDir }: ConfiguredProject) {
  const { baseBranch, maxRetries, entryPoints } = config;
  return {
    ...{ projectDir: dir, baseBranch, logDir: posix.relative(dir, logDir) },
    ...{ maxRetries, entryPoints },
  };
}

function render({ dir, config, logDir }: ConfiguredProject, home: string, style: Style): string {
  const { baseBranch, maxRetries, entryPoints } = config;
  const facts = `base branch ${baseBranch}, logs in ${posix.relative(dir, logDir)}/, at most ${plural(maxRetries + 1, "attempt")} per turn`;
  const points = entryPoints.map((point) => renderPoint(point, { dir, home, style }));
  const none =
    entryPoints.length === 0
      ? [
          "No entry points, so no gate ever runs; add folders to entry_points in .gauntlet/config.yml.",
        ]
      : [];
  return [`Gauntlet of ${visible(dir)}\n${style.dim(visible(facts))}`, ...none, ...points].join(
    "\n\n"
  );
}

function renderPoint(
  { path, exclude, gates }: EntryPoint,
  { dir, home, style }: { dir: string; home: string; style: Style }
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
    ...(gate.runLocally ? [] : ["only in CI"]),
  ];
  return notes.join(", ");
}

function whatItDoes(gate: GateDefinition): string {
  if (gate.kind === "check") return clip(oneLine(gate.command), MAX_COMMAND_CHARS);
  return "builtin" in gate.prompt ? `built-in prompt ${gate.prompt.builtin}` : "its own prompt";
}
