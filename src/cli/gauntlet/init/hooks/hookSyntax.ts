/**
 * The interface by which `init`, `uninstall` and `doctor` read and edit the hooks in the text of a settings file, and
 * its implementation for JSON (G29).
 */
import type { Result } from "neverthrow";
import type { Diagnostic } from "@/common/diagnostics";
import type { JsonObject } from "@/common/json";
import * as engine from "@/node/services/hooks/index";

/** Operations on the hooks in a text. Each keeps all other text. A text that does not parse has no handlers. */
export interface HookSyntax {
  /** The key of a handler's command line. */
  readonly commandKey: string;
  readonly list: (source: string, event: string) => readonly engine.FileHandler[];
  readonly add: (
    file: string,
    source: string,
    event: string,
    handler: JsonObject
  ) => Result<string, Diagnostic>;
  /** `change` returns the new fields of a handler, the same object to keep it, or undefined to remove it. */
  readonly change: (
    source: string,
    event: string,
    change: (fields: JsonObject) => JsonObject | undefined
  ) => string;
  /** Returns whether a text has no content, so that its file can be removed. */
  readonly isEmpty: (source: string) => boolean;
  /** Returns why the host cannot read the file, or undefined. */
  readonly check: (name: string, source: string) => Diagnostic | undefined;
}

/** Returns the syntax of JSON files with lists of handlers by event. */
export function jsonSyntax(format: engine.HookFormat = engine.GROUPED_HOOKS): HookSyntax {
  return {
    commandKey: format.commandKey,
    list: (source, event) => engine.listHandlers(source, event, format),
    add: (file, source, event, handler) => engine.addHook(file, source, event, handler, format),
    change: (source, event, change) => {
      const changed = (fields: JsonObject): JsonObject | undefined => {
        const after = change(fields);
        return after === fields ? undefined : after;
      };
      const replaced = engine.replaceFields(source, event, changed, format);
      return engine.removeHooks(replaced, event, (fields) => change(fields) === undefined, format);
    },
    isEmpty: (source) => engine.isWithoutContent(source, format),
    check: (name, source) =>
      engine.parseSettings(name, source).match(
        () => undefined,
        (diagnostic) => diagnostic
      ),
  };
}
