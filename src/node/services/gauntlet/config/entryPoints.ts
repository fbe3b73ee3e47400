/** Reads entry points, and the gates that they name or define (§2, G5). */
import type { EntryPoint, GateDefinition } from "@/node/services/gauntlet/domain/gate";
import type { ConfigFiles, GateFile } from "@/node/services/gauntlet/config/configFiles";
import {
  readCheck,
  readCheckFile,
  readInlineReview,
  readReviewFile,
} from "@/node/services/gauntlet/config/parseGates";
import type { DiagnosticList } from "@/node/services/gauntlet/config/source/DiagnosticList";
import { items, child, type YamlNode } from "@/node/services/gauntlet/config/source/YamlNode";
import { validateNode } from "@/node/services/gauntlet/config/source/validateNode";
import { entryPointSchema } from "@/node/services/gauntlet/config/schema";
import { didYouMean } from "@/node/services/gauntlet/config/source/didYouMean";
import { describeYaml } from "@/node/services/gauntlet/config/source/parseYaml";

/** The gates of one kind that have files. An invalid one is listed by name, without a definition. */
interface GateKind {
  readonly kind: GateDefinition["kind"];
  readonly fromFiles: ReadonlyMap<string, GateDefinition | undefined>;
  readonly readInline: typeof readCheck | typeof readInlineReview;
}

/** Returns every valid entry point, and reports every problem of the others. */
export function readEntryPoints(
  config: YamlNode,
  files: ConfigFiles,
  problems: DiagnosticList
): EntryPoint[] {
  const checks: GateKind = {
    kind: "check",
    fromFiles: readAll(files.checks, readCheckFile, problems),
    readInline: readCheck,
  };
  const reviews: GateKind = {
    kind: "review",
    fromFiles: readAll(files.reviews, readReviewFile, problems),
    readInline: readInlineReview,
  };
  return items(child(config, "entry_points")).flatMap((item) => {
    const fields = validateNode(item, entryPointSchema, problems);
    const gates = [
      ...readGates(child(item, "checks"), checks, problems),
      ...readGates(child(item, "reviews"), reviews, problems),
    ];
    return fields === undefined
      ? []
      : [{ path: fields.path, exclude: fields.exclude ?? [], gates }];
  });
}

function readAll(
  gateFiles: readonly GateFile[],
  read: (file: GateFile, problems: DiagnosticList) => GateDefinition | undefined,
  problems: DiagnosticList
): Map<string, GateDefinition | undefined> {
  return new Map(gateFiles.map((file) => [file.name, read(file, problems)]));
}

function readGates(
  list: YamlNode | undefined,
  kind: GateKind,
  problems: DiagnosticList
): GateDefinition[] {
  const gates = new Map<string, GateDefinition | undefined>();
  for (const item of items(list)) {
    const found = readGate(item, kind, problems);
    if (found === undefined) continue;
    const { name, gate } = found;
    if (gates.has(name)) {
      const message = `${JSON.stringify(name)} is here more than once; the first counts`;
      problems.add("warning", item.source, item.tree.span, item.path, message);
    } else gates.set(name, gate);
  }
  return [...gates.values()].filter((gate) => gate !== undefined);
}

function readGate(
  item: YamlNode,
  kind: GateKind,
  problems: DiagnosticList
): { name: string; gate: GateDefinition | undefined } | undefined {
  const { tree, source, path } = item;
  if (tree.kind === "scalar" && typeof tree.value === "string") {
    const name = tree.value;
    if (!kind.fromFiles.has(name)) {
      const message = describeMissing(name, kind);
      problems.add("error", source, tree.span, path, message);
    }
    return { name, gate: kind.fromFiles.get(name) };
  }
  const [inline, ...others] = tree.kind === "mapping" ? tree.entries : [];
  if (inline === undefined || others.length > 0) {
    const example = kind.kind === "check" ? "{command: npm test}" : "{builtin: security}";
    const expected = `the name of a ${kind.kind}, or one name with its definition, as in \`- name: ${example}\``;
    const message = `expected ${expected}, found ${describeYaml(tree)}`;
    problems.add("error", source, tree.span, path, message);
    return undefined;
  }
  const [name, { keySpan, value }] = inline;
  const { line, column } = source.locate(keySpan);
  const node = { source, tree: value, path: [...path, name] };
  return {
    name,
    gate: kind.readInline(name, node, { file: source.file, line, column }, problems),
  };
}

const MAX_NAMES = 20;

function describeMissing(name: string, { kind, fromFiles }: GateKind): string {
  const names = [...fromFiles.keys()];
  const place = kind === "check" ? ".gauntlet/checks/*.yml" : ".gauntlet/reviews/*.md";
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : "";
  const there =
    names.length === 0
      ? `there are none in ${place}`
      : `there are ${names.slice(0, MAX_NAMES).join(", ")}${more}`;
  return `no ${kind} is called ${JSON.stringify(name)}: ${there}${didYouMean(name, names)}`;
}
