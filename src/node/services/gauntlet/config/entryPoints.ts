/** Reads entry points, and the gates that they name or define (G5). */
import { normalFolder } from "@/node/services/gauntlet/domain/entryPoint";
import type { EntryPoint, GateDefinition } from "@/node/services/gauntlet/domain/gate";
import type { ConfigFiles, GateFile } from "@/node/services/gauntlet/config/configFiles";
import {
  readCheck,
  readCheckFile,
  readInlineReview,
  readReviewFile,
} from "@/node/services/gauntlet/config/parseGates";
import { asDefinition, type LocalConfig } from "@/node/services/gauntlet/config/localConfig";
import type { DiagnosticList } from "@/common/source/DiagnosticList";
import type { SourceNode } from "@/common/source/SourceNode";
import { validateNode } from "@/node/services/gauntlet/config/source/validateNode";
import { ENTRY_POINTS, entryPointSchema } from "@/node/services/gauntlet/config/schema";
import { didYouMean } from "@/node/services/gauntlet/config/source/didYouMean";

/** The gates of one kind that have files. An invalid one is listed by name, without a definition. */
interface GateKind {
  readonly local: LocalConfig;
  readonly kind: GateDefinition["kind"];
  readonly fromFiles: ReadonlyMap<string, GateDefinition | undefined>;
  /** The names that entry points use. */
  readonly used: Set<string>;
  readonly readInline: typeof readCheck | typeof readInlineReview;
}

/** Returns every valid entry point, and reports every problem of the others. */
export function readEntryPoints(
  config: SourceNode,
  files: Omit<ConfigFiles, "local"> & { readonly local: LocalConfig },
  problems: DiagnosticList
): EntryPoint[] {
  const checks: GateKind = {
    kind: "check",
    local: files.local,
    fromFiles: readAll(files.checks, readCheckFile, files.local, problems),
    used: new Set(),
    readInline: readCheck,
  };
  const reviews: GateKind = {
    kind: "review",
    local: files.local,
    fromFiles: readAll(files.reviews, readReviewFile, files.local, problems),
    used: new Set(),
    readInline: readInlineReview,
  };
  const top = config.child("checks");
  const ofRoot = readTopChecks(top?.kind === "mapping" ? top.children : [], checks, problems);
  const entries = config.child("entry_points");
  const ofItems = readItems(entries?.items ?? [], { checks, reviews }, problems);
  ofRoot.push(...readTopChecks(files.local.ownChecks(), checks, problems));
  if (entries === undefined && ofRoot.length === 0 && (top?.children.length ?? 0) === 0) {
    problems.add("error", config, `missing: ${ENTRY_POINTS}`, "entry_points");
  }
  const root = ofRoot.length === 0 ? [] : [{ path: ".", exclude: [], gates: ofRoot }];
  const entryPoints = [...root, ...ofItems];
  if (problems.hasErrors) return entryPoints;
  for (const { kind, used } of [checks, reviews]) {
    const all = kind === "check" ? files.checks : files.reviews;
    const unused = all.filter(({ name }) => !used.has(name));
    const [first] = unused;
    if (first === undefined) continue;
    const names = unused.slice(0, MAX_NAMES).map(({ name }) => name);
    problems.addFile("warning", first.file, gatesNotUsed(kind, names, unused.length));
  }
  return entryPoints;
}

function readItems(
  items: readonly SourceNode[],
  { checks, reviews }: { readonly checks: GateKind; readonly reviews: GateKind },
  problems: DiagnosticList
): EntryPoint[] {
  const paths = items.flatMap((item) => {
    const path = item.child("path")?.value;
    return typeof path === "string" ? [path] : [];
  });
  return items.flatMap((item) => {
    const fields = validateNode(item, entryPointSchema, problems);
    const gates = [
      ...readGates(item.child("checks"), checks, problems),
      ...readGates(item.child("reviews"), reviews, problems),
    ];
    if (fields === undefined) return [];
    checkDependencies(item, paths, problems);
    const { path, exclude, depends_on: dependsOn } = fields;
    return [{ path, exclude: exclude ?? [], ...(dependsOn == null ? {} : { dependsOn }), gates }];
  });
}

/** Reads `checks` of the file: names with a command, with a definition, or with nothing for the check of a file. */
function readTopChecks(
  nodes: readonly SourceNode[],
  kind: GateKind,
  problems: DiagnosticList
): GateDefinition[] {
  return nodes.flatMap((node) => {
    const { key, keySpan, source, value } = node;
    if (node.kind === "scalar" && value === null) {
      kind.used.add(key);
      if (!kind.fromFiles.has(key)) problems.add("error", node.atKey, describeMissing(key, kind));
      return kind.fromFiles.get(key) ?? [];
    }
    const position = { file: source.file, ...source.placeOf(keySpan.start) };
    const definition = kind.local.gate(kind.kind, key, asDefinition(node));
    return kind.readInline(key, definition, position, problems) ?? [];
  });
}

/** Adds an error for each entry point that does not exist (G34). */
function checkDependencies(
  item: SourceNode,
  paths: readonly string[],
  problems: DiagnosticList
): void {
  const known = new Set(paths.map(normalFolder));
  for (const node of item.child("depends_on")?.items ?? []) {
    const { value } = node;
    if (typeof value !== "string" || known.has(normalFolder(value))) continue;
    const names = { names: paths.slice(0, MAX_NAMES), rest: paths.length - MAX_NAMES };
    problems.add(
      "error",
      node,
      entryPointMissing(value, { ...names, hint: didYouMean(value, paths) })
    );
  }
}

function readAll(
  gateFiles: readonly GateFile[],
  read: typeof readCheckFile | typeof readReviewFile,
  local: LocalConfig,
  problems: DiagnosticList
): Map<string, GateDefinition | undefined> {
  return new Map(gateFiles.map((file) => [file.name, read(file, local, problems)]));
}

function readGates(
  list: SourceNode | undefined,
  kind: GateKind,
  problems: DiagnosticList
): GateDefinition[] {
  const gates = new Map<string, GateDefinition | undefined>();
  for (const item of list?.items ?? []) {
    const found = readGate(item, kind, problems);
    if (found === undefined) continue;
    const { name, gate } = found;
    if (gates.has(name))
      problems.add(
        "warning",
        item,
        `${JSON.stringify(name)} is listed more than once; the first entry counts`
      );
    else gates.set(name, gate);
  }
  return [...gates.values()].filter((gate) => gate !== undefined);
}

function readGate(
  item: SourceNode,
  kind: GateKind,
  problems: DiagnosticList
): { name: string; gate: GateDefinition | undefined } | undefined {
  const { value: name, source } = item;
  if (typeof name === "string") {
    kind.used.add(name);
    if (!kind.fromFiles.has(name)) problems.add("error", item, describeMissing(name, kind));
    return { name, gate: kind.fromFiles.get(name) };
  }
  const [inline, ...others] = item.kind === "mapping" ? item.children : [];
  if (inline === undefined || others.length > 0) {
    problems.add("error", item, notGate(kind.kind, item.describe()));
    return undefined;
  }
  const { key, keySpan } = inline;
  const position = { file: source.file, ...source.placeOf(keySpan.start) };
  return {
    name: key,
    gate: kind.readInline(key, kind.local.gate(kind.kind, key, inline), position, problems),
  };
}

const MAX_NAMES = 20;

function describeMissing(name: string, { kind, fromFiles }: GateKind): string {
  const names = [...fromFiles.keys()];
  return gateMissing(kind, name, {
    names: names.slice(0, MAX_NAMES),
    rest: names.length - MAX_NAMES,
    hint: didYouMean(name, names),
  });
}

/** @param found describes the value of the entry */
function notGate(kind: "check" | "review", found: string): string {
  const example = kind === "check" ? "{command: npm test}" : "{builtin: security}";
  return `expected the name of a ${kind}, or one name with its definition, as in \`- name: ${example}\`, found ${found}`;
}

/**
 * @param names the gates that can be named
 * @param rest the number of gates that do not fit
 * @param hint a {@link suggestion}, or an empty text
 */
function gateMissing(
  kind: "check" | "review",
  name: string,
  { names, rest, hint }: { readonly names: readonly string[]; rest: number; hint: string }
): string {
  const files = kind === "check" ? ".gauntlet/checks/*.yml" : ".gauntlet/reviews/*.md";
  const more = rest > 0 ? ` and ${rest} more` : "";
  const known =
    names.length === 0 ? `there is no file ${files}` : `defined are: ${names.join(", ")}${more}`;
  return `there is no ${kind} named ${JSON.stringify(name)}; ${known}${hint}`;
}

/** @param names the first of the `count` gates */
function gatesNotUsed(kind: "check" | "review", names: readonly string[], count: number): string {
  const more = count > names.length ? ` and ${count - names.length} more` : "";
  const [which, what] =
    count === 1
      ? [`this ${kind}, so it never runs`, "its name"]
      : [`${names.join(", ")}${more}, so they never run`, "their names"];
  return `no entry point names ${which}; add ${what} to "${kind}s" of an entry point, or delete the file`;
}

/** Parameters as of {@link gateMissing}, with the paths of the entry points. */
function entryPointMissing(
  path: string,
  { names, rest, hint }: { readonly names: readonly string[]; rest: number; hint: string }
): string {
  const more = rest > 0 ? ` and ${rest} more` : "";
  return `there is no entry point ${JSON.stringify(path)}; defined are: ${names.join(", ")}${more}${hint}`;
}
