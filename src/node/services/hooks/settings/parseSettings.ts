/**
 * Parses the text of one settings file of Mux or Claude Code. The smallest invalid part is skipped and reported with
 * its position; everything else counts (H5). Also warns of settings without an effect, and limits the number of
 * handlers.
 */
import type { Result } from "neverthrow";
import type { Diagnostic, Severity } from "@/common/diagnostics";
import { definedOnly } from "@/common/definedOnly";
import { MAX_HANDLER_ENTRIES, MAX_HANDLERS } from "@/common/limits";
import { DiagnosticList } from "@/common/source/DiagnosticList";
import type { SourcePlace } from "@/common/source/SourceFile";
import type { SourceNode } from "@/common/source/SourceNode";
import { clip, visible } from "@/common/safeText";
import { findMatcherProblem } from "@/node/services/hooks/contract/agentMatcher";
import { handlerTypeNotSupported, IF_NEVER_TRUE } from "@/node/services/hooks/messages/shared";
import * as claudeKeys from "@/node/services/hooks/settings/claude/readClaudeKeys";
import { parseJsonc } from "@/node/services/hooks/settings/parseJsonc";
import * as settingsSchema from "@/node/services/hooks/contract/settingsSchema";
import * as contract from "@/node/services/hooks/contract/types";
import { ENGLISH } from "@/common/zodEnglish";
import type { JsonObject } from "@/common/json";

/** One handler with its position. */
export interface FoundHook extends SourcePlace {
  readonly event: contract.HookEventName;
  readonly matcher?: string | undefined;
  readonly handler: contract.HookHandler;
  /** Why the hook is turned off (H39). */
  readonly off?: string | undefined;
}

export interface ParsedSettings {
  readonly hooks: readonly FoundHook[];
  /** Handlers of types that this engine does not know. */
  readonly unsupported?: readonly FoundHook[];
  readonly values: settingsSchema.SettingValues;
  /** The positions of keys that only have an effect in the user's own file. */
  readonly ofUser?: Readonly<Record<string, SourcePlace>>;
  /** Keys that only count in files of Claude Code. */
  readonly claude?: claudeKeys.ClaudeKeys;
  readonly diagnostics: readonly Diagnostic[];
}

export const EMPTY_SETTINGS: ParsedSettings = { hooks: [], values: {}, diagnostics: [] };

/** More than settings need. Each value costs several microseconds of the host at its first load (H20a). */
const MAX_VALUES = 10_000;

/** Parses a settings file. Fails only if the file does not parse at all. */
export function parseSettings(file: string, text: string): Result<ParsedSettings, Diagnostic> {
  return parseJsonc(file, text, MAX_VALUES).map((root) => new SettingsReader(root).read());
}

class SettingsReader {
  readonly #problems = new DiagnosticList();
  readonly #unsupported: FoundHook[] = [];
  #handlers = 0;

  constructor(private readonly root: SourceNode) {}

  read(): ParsedSettings {
    let settings = EMPTY_SETTINGS;
    if (this.#expect("mapping", this.root)) {
      this.#warnOfRepeats(this.root);
      this.#warnOfMisplacedEvents();
      const claude = claudeKeys.readClaudeKeys(this.root);
      const hooks = this.#hooks();
      settings = { ...settings, hooks, unsupported: this.#unsupported, ...this.#values(), claude };
    }
    const diagnostics = this.#problems.all.map(({ length, sourceLine, ...problem }) => problem);
    return { ...settings, diagnostics };
  }

  #values(): Pick<ParsedSettings, "values" | "ofUser"> {
    const sections = new Map<string, SourceNode | undefined>([["", this.root]]);
    const values: Record<string, unknown> = {};
    const ofUser: Record<string, SourcePlace> = {};
    for (const [path, key] of settingsSchema.LAYER_ROWS) {
      const [name = "", section = ""] = path.split(".").reverse();
      if (!sections.has(section)) sections.set(section, this.#section(section));
      const parent = sections.get(section);
      const node = parent?.child(name);
      if (parent === undefined || node === undefined) continue;
      if (key.isUsers) ofUser[path] = node.place;
      values[path] = key.isList
        ? this.#texts(node)
        : readKey(parent, name, key, this.#problems, key.severity, DEFAULT_USED);
    }
    return { values: definedOnly(values), ofUser };
  }

  /** Returns the strings of a list, or undefined if it has none. */
  #texts(list: SourceNode): readonly string[] | undefined {
    const texts = this.#list(list).flatMap((node) => (this.#isText(node) ? [node.value] : []));
    return texts.length === 0 ? undefined : texts;
  }

  #hooks(): FoundHook[] {
    const hooks = this.#section("hooks");
    if (hooks === undefined) return [];
    this.#hintAtMisspelling(hooks);
    this.#warnOfRepeats(hooks);
    return contract.HOOK_EVENTS.flatMap((event) =>
      this.#list(hooks.child(event)).flatMap((group) => this.#group(event, group))
    );
  }

  #group(event: contract.HookEventName, group: SourceNode): FoundHook[] {
    if (!this.#expect("mapping", group)) return [];
    const handlers = group.child("hooks");
    if (handlers === undefined) {
      const missing = 'missing: expected a list of handlers, as in {"hooks": [{"type": …}]}';
      this.#problems.add("error", group, missing, "hooks");
      return [];
    }
    const matcher = event === "Stop" ? undefined : group.child("matcher");
    if (matcher !== undefined) {
      if (!this.#isText(matcher)) return [];
      // Checks only that it can be compiled, not which agent types it matches.
      const problem = findMatcherProblem(matcher.value.trim());
      if (problem !== undefined) {
        this.#problems.add("error", matcher, `${problem}; the group is skipped`);
        return [];
      }
    }
    return this.#list(handlers).flatMap((node) => {
      if (!this.#hasRoom(node)) return [];
      const handler = readHandler(node, this.#problems);
      if (handler === undefined) return [];
      const { line, column } = node.place;
      const found = { event, handler, line, column, matcher: matcher?.written };
      if (handler.type !== "unsupported") return found;
      this.#unsupported.push(found);
      return [];
    });
  }

  /** Limits the number of handlers, which limits the time that one file can take, valid or not (H20a). */
  #hasRoom(node: SourceNode): boolean {
    this.#handlers++;
    if (this.#handlers === MAX_HANDLERS + 1) {
      const most = `a file may have at most ${MAX_HANDLERS} handlers`;
      this.#problems.add("error", node, `${most}; this one and all after it are skipped`);
    }
    return this.#handlers <= MAX_HANDLERS;
  }

  #hintAtMisspelling(hooks: SourceNode): void {
    for (const node of hooks.children) {
      const { key } = node;
      const meant = contract.HOOK_EVENTS.find((event) => fold(event) === fold(key));
      if (meant === undefined || meant === key) continue;
      const unknown = `unknown event ${quote(key)}; did you mean "${meant}"?`;
      this.#problems.add("notice", node.atKey, unknown);
    }
  }

  /** Warns of lists of hooks beside `hooks`, where they have no effect. */
  #warnOfMisplacedEvents(): void {
    for (const event of contract.HOOK_EVENTS) {
      const misplaced = this.root.child(event);
      if (misplaced === undefined) continue;
      const next = `move it into "hooks", as in {"hooks": {"${event}": […]}}`;
      this.#problems.add("warning", misplaced.atKey, `"${event}" has no effect here; ${next}`);
    }
  }

  /** Warns once for each repeated key. The last value counts, so the others would otherwise be lost silently. */
  #warnOfRepeats(object: SourceNode): void {
    const counts = new Map<string, number>();
    for (const node of object.children) {
      const { key } = node;
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      if (count !== 2) continue;
      const duplicate = `duplicate key ${quote(key)}; the last value is used`;
      this.#problems.add("warning", node.atKey, duplicate);
    }
  }

  #section(key: string): SourceNode | undefined {
    const node = this.root.child(key);
    return node !== undefined && this.#expect("mapping", node) ? node : undefined;
  }

  #list(node: SourceNode | undefined): readonly SourceNode[] {
    return node !== undefined && this.#expect("list", node) ? node.children : [];
  }

  #isText(node: SourceNode): node is SourceNode & { readonly value: string } {
    return typeof node.value === "string" || this.#reject("a string", node);
  }

  #expect(kind: "mapping" | "list", node: SourceNode): boolean {
    return node.kind === kind || this.#reject(kind === "list" ? "a list" : "an object", node);
  }

  #reject(expected: string, node: SourceNode): false {
    this.#problems.add("error", node, expectedValue(expected, node));
    return false;
  }
}

function fold(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_-]/g, "");
}

function quote(key: string): string {
  return visible(JSON.stringify(clip(key, MAX_KEY_CHARS)));
}

const MAX_KEY_CHARS = 60;

const TYPES = new Map<string, Readonly<Record<string, settingsSchema.HandlerKey>>>(
  Object.entries(settingsSchema.HANDLER_KEYS)
);

/** Returns a handler, or undefined if it is invalid, which is an error. An unsupported type is only a notice. */
function readHandler(node: SourceNode, problems: DiagnosticList): contract.HookHandler | undefined {
  if (node.kind !== "mapping") {
    problems.add("error", node, expectedValue("a handler, an object", node));
    return undefined;
  }
  // A schema would not check that many entries in time (H20a).
  const isCrowded = ({ children }: SourceNode): boolean => children.length > MAX_HANDLER_ENTRIES;
  const crowded = isCrowded(node) ? node : node.children.find(isCrowded);
  if (crowded !== undefined) {
    const most = `expected at most ${MAX_HANDLER_ENTRIES} entries`;
    problems.add("error", crowded, most + HANDLER_SKIPPED);
    return undefined;
  }
  const type = node.child("type");
  if (typeof type?.value !== "string") {
    const found = type === undefined ? "missing: " : "";
    const what = `${found}expected one of ${[...TYPES.keys()].join(", ")}${HANDLER_SKIPPED}`;
    problems.add("error", type ?? node, what, ...(type === undefined ? ["type"] : []));
    return undefined;
  }
  const keys = TYPES.get(type.value);
  const value = node.toPlain() as JsonObject;
  if (keys === undefined) {
    const what = handlerTypeNotSupported(type.describe());
    problems.add("notice", type, what + HANDLER_SKIPPED);
    return { ...value, type: "unsupported", given: type.describe() };
  }
  if (!readFields(node, value, keys, problems)) return undefined;
  const handler = value as unknown as contract.HookHandler;
  // Fields of other tools that have no effect on these events.
  const condition = "if" in value ? node.child("if") : undefined;
  if (condition !== undefined) problems.add("notice", condition, IF_NEVER_TRUE);
  const rewake = handler.asyncRewake === true ? node.child("asyncRewake") : undefined;
  if (rewake !== undefined && handler.type === "command") {
    const effect =
      "the hook runs in the background and does not wake the agent; if it exits with code 2, the agent gets its finding with your next message";
    problems.add("notice", rewake, effect);
  }
  return handler;
}

/**
 * Normalizes the fields of `value` and removes unusable ones. Returns false if the handler cannot run without one of
 * them. Checks only fields that it has or must have: a schema checks all that there can be, which takes four times as
 * long, and a clone can have hundreds of handlers (H5).
 */
function readFields(
  node: SourceNode,
  value: JsonObject,
  keys: Readonly<Record<string, settingsSchema.HandlerKey>>,
  problems: DiagnosticList
): boolean {
  let isRunnable = true;
  for (const [name, key] of Object.entries(keys)) {
    const isSet = name in value;
    if (!isSet && key.needed !== "always") continue;
    const skips = key.needed === "always" || (key.needed === "if set" && value[name] !== null);
    const usable = skips
      ? readKey(node, name, key, problems, "error", HANDLER_SKIPPED)
      : readKey(node, name, key, problems, "warning", DEFAULT_USED);
    if (usable === undefined) Reflect.deleteProperty(value, name);
    else value[name] = usable;
    isRunnable &&= !skips || usable !== undefined;
  }
  return isRunnable;
}

/** Returns the value of a key of `parent`, or undefined with a problem that ends with `consequence`. */
function readKey(
  parent: SourceNode,
  name: string,
  { schema, expected, convert }: settingsSchema.SettingKey,
  problems: DiagnosticList,
  severity: Severity,
  consequence: string
): unknown {
  const node = parent.child(name);
  const value = node?.toPlain();
  const parsed = schema.safeParse(convert === undefined ? value : convert(value), ENGLISH);
  if (parsed.success) return parsed.data;
  if (expected !== undefined && node !== undefined) {
    const problem = expectedValue(expected, node);
    problems.add(severity, node, problem + consequence);
  } else {
    const issues = parsed.error.issues.map((issue) => ({ ...issue, path: [name, ...issue.path] }));
    problems.addIssues(severity, parent, issues, () => consequence);
  }
  return undefined;
}

/** The end of a message about a value that cannot be used. */
export const DEFAULT_USED = "; the default is used";

export const HANDLER_SKIPPED = "; the handler is skipped";

function expectedValue(expected: string, node: SourceNode): string {
  return `expected ${expected}, found ${node.describe()}`;
}
