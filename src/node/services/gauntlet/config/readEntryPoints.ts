/**
 * Reads `entry_points` and the top-level `checks` of a configuration, with the gates that they name or define and the
 * user's own changes of these gates (G5, G6a). Reports names and dependencies that do not exist, and files of gates
 * that no entry point names.
 */
import type { DiagnosticList } from "@/common/source/DiagnosticList";
import type { SourceRange } from "@/common/source/SourceFile";
import type { SourceNode } from "@/common/source/SourceNode";
import { firstNames } from "@/common/safeText";
import type { ConfigFiles, GateFile } from "@/node/services/gauntlet/config/readConfigFiles";
import { asDefinition, type LocalConfig } from "@/node/services/gauntlet/config/localConfig";
import * as readGates from "@/node/services/gauntlet/config/readGates";
import { didYouMean, validateNode } from "@/node/services/gauntlet/config/source/validateNode";
import { normalFolder } from "@/node/services/gauntlet/domain/entryPointFolders";
import type { EntryPoint, GateDefinition } from "@/node/services/gauntlet/domain/gate";
import { ENTRY_POINTS, entryPointSchema } from "@/node/services/gauntlet/domain/configSchemas";

const MAX_NAMES = 20;

/** Returns every valid entry point, and reports every problem of the others. */
export function readEntryPoints(
  config: SourceNode,
  files: Omit<ConfigFiles, "local"> & { readonly local: LocalConfig },
  problems: DiagnosticList
): EntryPoint[] {
  const { local } = files;
  const checks = new GateKind("check", files.checks, local, problems);
  const reviews = new GateKind("review", files.reviews, local, problems);
  const top = config.child("checks");
  const ofRoot = checks.readTop(top?.kind === "mapping" ? top.children : []);
  const items = config.child("entry_points");
  const paths = (items?.items ?? []).flatMap((item) => {
    const path = item.child("path")?.value;
    return typeof path === "string" ? [path] : [];
  });
  const ofItems = (items?.items ?? []).flatMap((item) => {
    const fields = validateNode(item, entryPointSchema, problems);
    const gates = [
      ...checks.readList(item.child("checks")),
      ...reviews.readList(item.child("reviews")),
    ];
    if (fields === undefined) return [];
    checkDependencies(item, paths, problems);
    const { checks: _checks, reviews: _reviews, ...entryPoint } = fields;
    return [{ ...entryPoint, gates }];
  });
  ofRoot.push(...checks.readTop(local.ownChecks()));
  if (items === undefined && ofRoot.length === 0 && (top?.children.length ?? 0) === 0) {
    problems.add("error", config, `missing: ${ENTRY_POINTS}`, "entry_points");
  }
  if (!problems.hasErrors) for (const kind of [checks, reviews]) kind.reportUnused();
  const root = ofRoot.length === 0 ? [] : [{ path: ".", exclude: [], gates: ofRoot }];
  return [...root, ...ofItems];
}

/** Adds an error for each path in `depends_on` that is not an entry point (G34). */
function checkDependencies(
  item: SourceNode,
  paths: readonly string[],
  problems: DiagnosticList
): void {
  const known = new Set(paths.map(normalFolder));
  for (const node of item.child("depends_on")?.items ?? []) {
    const { value } = node;
    if (typeof value !== "string" || known.has(normalFolder(value))) continue;
    const text = `there is no entry point ${JSON.stringify(value)}; ${defined(value, paths)}`;
    problems.add("error", node, text);
  }
}

/** The gates of one kind. */
class GateKind {
  /** The gates that have a file, by name. An invalid one has no definition. */
  readonly #fromFiles: ReadonlyMap<string, GateDefinition | undefined>;
  /** The names that entry points use. */
  readonly #used = new Set<string>();

  constructor(
    private readonly kind: GateDefinition["kind"],
    private readonly files: readonly GateFile[],
    private readonly local: LocalConfig,
    private readonly problems: DiagnosticList
  ) {
    const read = kind === "check" ? readGates.readCheckFile : readGates.readReviewFile;
    this.#fromFiles = new Map(files.map((file) => [file.name, read(file, local, problems)]));
  }

  /** Reads the top-level `checks`: names with a command, with a definition, or with nothing for the check of a file. */
  readTop(nodes: readonly SourceNode[]): GateDefinition[] {
    return nodes.flatMap((node) => {
      const isName = node.kind === "scalar" && node.value === null;
      const gate = isName
        ? this.#named(node.key, node.atKey)
        : this.#inline(node, asDefinition(node));
      return gate ?? [];
    });
  }

  /** Reads the list of an entry point. */
  readList(list: SourceNode | undefined): GateDefinition[] {
    const gates = new Map<string, GateDefinition | undefined>();
    for (const item of list?.items ?? []) {
      const [inline, ...others] = item.kind === "mapping" ? item.children : [];
      const name = typeof item.value === "string" ? item.value : inline?.key;
      if (name === undefined || others.length > 0) {
        const example = this.kind === "check" ? "{command: npm test}" : "{builtin: security}";
        this.problems.add(
          "error",
          item,
          `expected the name of a ${this.kind}, or one name with its definition, as in \`- name: ${example}\`, found ${item.describe()}`
        );
        continue;
      }
      const gate = inline === undefined ? this.#named(name, item) : this.#inline(inline, inline);
      if (gates.has(name))
        this.problems.add(
          "warning",
          item,
          `${JSON.stringify(name)} is listed more than once; the first entry counts`
        );
      else gates.set(name, gate);
    }
    return [...gates.values()].filter((gate) => gate !== undefined);
  }

  /** Warns about files that no entry point names. */
  reportUnused(): void {
    const unused = this.files.filter(({ name }) => !this.#used.has(name));
    const [first] = unused;
    if (first === undefined) return;
    const names = unused.map(({ name }) => name);
    const [which, what] =
      unused.length === 1
        ? [`this ${this.kind}, so it never runs`, "its name"]
        : [`${firstNames(names, MAX_NAMES)}, so they never run`, "their names"];
    const text = `no entry point names ${which}; add ${what} to "${this.kind}s" of an entry point, or delete the file`;
    this.problems.addFile("warning", first.file, text);
  }

  /** Returns the gate of a file, if it is valid. */
  #named(name: string, at: SourceRange): GateDefinition | undefined {
    this.#used.add(name);
    if (!this.#fromFiles.has(name)) {
      const names = [...this.#fromFiles.keys()];
      const files = this.kind === "check" ? ".gauntlet/checks/*.yml" : ".gauntlet/reviews/*.md";
      const known = names.length === 0 ? `there is no file ${files}` : defined(name, names);
      const text = `there is no ${this.kind} named ${JSON.stringify(name)}; ${known}`;
      this.problems.add("error", at, text);
    }
    return this.#fromFiles.get(name);
  }

  /** Reads a definition that is the value of a name. */
  #inline({ key, keySpan, source }: SourceNode, definition: SourceNode) {
    const position = { file: source.file, ...source.placeOf(keySpan.start) };
    const read = this.kind === "check" ? readGates.readCheck : readGates.readInlineReview;
    return read(key, this.local.gate(this.kind, key, definition), position, this.problems);
  }
}

/** Lists the names that exist, with the one that was most likely meant. */
function defined(name: string, names: readonly string[]): string {
  return `defined are: ${firstNames(names, MAX_NAMES)}${didYouMean(name, names)}`;
}
