/**
 * Parses the text of one settings file. The smallest invalid part is skipped and reported with its position; everything
 * else counts (H5).
 */
import { getNodeValue, type Node } from "jsonc-parser";
import type { Result } from "neverthrow";
import type * as z from "zod";
import type { Diagnostic, Severity } from "@/common/diagnostics";
import { definedOnly } from "@/common/definedOnly";
import { MAX_HANDLERS } from "@/common/limits";
import { clip, visible } from "@/common/text";
import { findMatcherProblem } from "@/node/services/hooks/contract/matcher";
import {
  describeNode,
  keysOf,
  propertyOf,
  SettingsDocument,
  type DocumentPlace,
} from "@/node/services/hooks/settings/jsoncDocument";
import { readHandler, readSeconds } from "@/node/services/hooks/settings/parseHandler";
import { SettingsProblems } from "@/node/services/hooks/settings/diagnostics";
import { settingsSchema, type HookHandler } from "@/node/services/hooks/contract/settingsSchema";
import { HOOK_EVENTS, type HookEventName } from "@/node/services/hooks/contract/types";

/** One handler with its position. */
export interface FoundHook extends DocumentPlace {
  readonly event: HookEventName;
  readonly matcher?: string;
  readonly handler: HookHandler;
}

/** Values that a file sets besides hooks. A later layer overrides each of them (H3). */
export interface SettingValues {
  readonly disableAllHooks?: boolean;
  readonly maxContinuations?: number;
  /** `stopHooks.timeout`, in seconds. */
  readonly defaultTimeoutS?: number;
  readonly importClaudeHooks?: boolean;
  readonly gauntletEnabled?: boolean;
}

export interface ParsedSettings {
  readonly hooks: readonly FoundHook[];
  readonly values: SettingValues;
  /** `hookEnv.pass`, with its position in `passEnvAt`. */
  readonly passEnv: readonly string[];
  readonly passEnvAt?: DocumentPlace;
  readonly diagnostics: readonly Diagnostic[];
}

export const EMPTY_SETTINGS: ParsedSettings = {
  hooks: [],
  values: {},
  passEnv: [],
  diagnostics: [],
};

/** Parses a settings file. Fails only if the file does not parse at all. */
export function parseSettings(file: string, text: string): Result<ParsedSettings, Diagnostic> {
  return SettingsDocument.parse(text)
    .map((document) => new SettingsReader(file, document).read())
    .mapErr((problem) => ({ severity: "error", file, keyPath: "", ...problem }));
}

const { shape } = settingsSchema;
const stopHooksShape = shape.stopHooks.unwrap().shape;
const gauntletShape = shape.gauntlet.unwrap().shape;
/** The end of the message about a value that cannot be used. */
export const DEFAULT_COUNTS = "; the default counts";

class SettingsReader {
  readonly #problems: SettingsProblems;
  readonly #root: Node;
  #handlers = 0;

  constructor(
    file: string,
    private readonly document: SettingsDocument
  ) {
    this.#problems = new SettingsProblems(file, document);
    this.#root = document.root;
  }

  read(): ParsedSettings {
    if (!this.#expect("object", this.#root)) {
      return { ...EMPTY_SETTINGS, diagnostics: this.#problems.list };
    }
    this.#warnOfRepeats(this.#root);
    const hooks = this.#hooks();
    const values = this.#values();
    const passEnv = this.#passEnv();
    return { hooks, values, ...passEnv, diagnostics: this.#problems.list };
  }

  #values(): SettingValues {
    const stopHooks = this.#section("stopHooks");
    const gauntlet = this.#section("gauntlet");
    return definedOnly({
      disableAllHooks: this.#value(this.#root, "disableAllHooks", shape.disableAllHooks, "error"),
      importClaudeHooks: this.#value(
        this.#root,
        "importClaudeHooks",
        shape.importClaudeHooks,
        "error"
      ),
      maxContinuations: this.#value(
        stopHooks,
        "maxContinuations",
        stopHooksShape.maxContinuations,
        "warning"
      ),
      defaultTimeoutS: readSeconds(stopHooks && propertyOf(stopHooks, "timeout"), this.#problems),
      gauntletEnabled: this.#value(gauntlet, "enabled", gauntletShape.enabled, "error"),
    });
  }

  #passEnv(): Pick<ParsedSettings, "passEnv" | "passEnvAt"> {
    const section = this.#section("hookEnv");
    const pass = section && propertyOf(section, "pass");
    const passEnv = this.#list(pass).flatMap((node) =>
      this.#expect("string", node) ? [String(node.value)] : []
    );
    return { passEnv, ...(pass && { passEnvAt: this.document.placeOf(pass) }) };
  }

  #hooks(): FoundHook[] {
    const hooks = this.#section("hooks");
    if (hooks === undefined) return [];
    this.#hintAtMisspelling(hooks);
    this.#warnOfRepeats(hooks);
    return HOOK_EVENTS.flatMap((event) =>
      this.#list(propertyOf(hooks, event)).flatMap((group) => this.#group(event, group))
    );
  }

  #group(event: HookEventName, group: Node): FoundHook[] {
    if (!this.#expect("object", group)) return [];
    const handlers = propertyOf(group, "hooks");
    if (handlers === undefined) {
      const expected = 'missing: expected a list of handlers, as in {"hooks": [{"type": …}]}';
      this.#problems.add("error", group, expected, "hooks");
      return [];
    }
    const matcher = event === "Stop" ? undefined : propertyOf(group, "matcher");
    if (matcher !== undefined && !this.#isMatcher(matcher)) return [];
    return this.#list(handlers).flatMap((node) => {
      if (!this.#hasRoom(node)) return [];
      const handler = readHandler(node, this.#problems);
      if (handler === undefined) return [];
      const place = this.document.placeOf(node);
      return {
        event,
        handler,
        ...place,
        ...(matcher === undefined ? {} : { matcher: String(matcher.value) }),
      };
    });
  }

  /** Limits the number of handlers, which limits the time that one file can take, valid or not (H20a). */
  #hasRoom(node: Node): boolean {
    this.#handlers++;
    if (this.#handlers === MAX_HANDLERS + 1) {
      const problem = `only the first ${MAX_HANDLERS} handlers of a file count; this one and all after it are skipped`;
      this.#problems.add("error", node, problem);
    }
    return this.#handlers <= MAX_HANDLERS;
  }

  /** Checks only that a matcher can be compiled, not which agent types it matches. */
  #isMatcher(node: Node): boolean {
    if (!this.#expect("string", node)) return false;
    const matcher = String(node.value).trim();
    const problem = findMatcherProblem(matcher);
    if (problem === undefined) return true;
    this.#problems.add("error", node, `${problem}; the group is skipped`);
    return false;
  }

  #hintAtMisspelling(hooks: Node): void {
    for (const { key, node } of keysOf(hooks)) {
      const meant = HOOK_EVENTS.find((event) => fold(event) === fold(key));
      if (meant === undefined || meant === key) continue;
      this.#problems.add(
        "notice",
        node,
        `no event is called ${quote(key)}: did you mean "${meant}"?`
      );
    }
  }

  /** Warns once for each repeated key. The last value counts, so the others would otherwise be lost silently. */
  #warnOfRepeats(object: Node): void {
    const seen = new Set<string>();
    const reported = new Set<string>();
    for (const { key, node } of keysOf(object)) {
      if (seen.has(key) && !reported.has(key)) {
        reported.add(key);
        const problem = `${quote(key)} is given more than once; the last one counts`;
        this.#problems.add("warning", node, problem);
      }
      seen.add(key);
    }
  }

  #section(key: string): Node | undefined {
    const node = propertyOf(this.#root, key);
    return node !== undefined && this.#expect("object", node) ? node : undefined;
  }

  #list(node: Node | undefined): readonly Node[] {
    return node !== undefined && this.#expect("array", node) ? (node.children ?? []) : [];
  }

  #value<T>(
    parent: Node | undefined,
    key: string,
    schema: z.ZodType<T>,
    severity: Severity
  ): T | undefined {
    const node = parent && propertyOf(parent, key);
    if (node === undefined) return undefined;
    const parsed = schema.safeParse(getNodeValue(node));
    if (parsed.success) return parsed.data;
    this.#problems.addIssues(severity, node, parsed.error, DEFAULT_COUNTS);
    return undefined;
  }

  #expect(type: "object" | "array" | "string", node: Node): boolean {
    if (node.type === type) return true;
    const expected = { object: "an object", array: "a list", string: "a string" }[type];
    this.#problems.add("error", node, `expected ${expected}, found ${describeNode(node)}`);
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
