/**
 * Reads and edits the hooks of Kiro CLI for `init`: a JSON file that only the gauntlet uses, with a list of hooks that
 * each have a trigger and an action.
 */
import { isDeepStrictEqual } from "node:util";
import { err, ok } from "neverthrow";
import { notOwnFile } from "@/cli/gauntlet/doctor/finding";
import type { HookSyntax } from "@/cli/gauntlet/init/hooks/hookSyntax";
import { fileDiagnostic } from "@/common/diagnostics";
import { isJsonObject, parseObject, type JsonObject } from "@/common/json";
import type { FileHandler } from "@/node/services/hooks/index";

export const kiroSyntax: HookSyntax = {
  commandKey: "command",
  list: (source, event) =>
    (readHooks(source) ?? [])
      .filter(({ trigger }) => trigger === event)
      .flatMap((hook) => handlerOf(source, hook)),
  add: (file, source, event, { type, command, ...fields }) => {
    const hooks: readonly JsonObject[] | undefined = source.trim() === "" ? [] : readHooks(source);
    if (hooks === undefined) return err(fileDiagnostic("error", file, notOwnFile(file)));
    const name = `agent-gauntlet ${event}`;
    const action = { type, command };
    return ok(textOf([...hooks, { name, trigger: event, action, ...fields }]));
  },
  change: (source, event, change) => {
    const hooks = readHooks(source);
    const after = hooks?.flatMap((hook): JsonObject[] => {
      const [handler] = hook.trigger === event ? handlerOf(source, hook) : [];
      const fields = handler && change(handler.fields);
      if (handler === undefined || fields === handler.fields) return [hook];
      const { type, command, ...more } = fields ?? {};
      return fields === undefined ? [] : [{ ...hook, action: { type, command }, ...more }];
    });
    return after === undefined || isDeepStrictEqual(after, hooks) ? source : textOf(after);
  },
  isEmpty: (source) => readHooks(source)?.length === 0,
  check: (name, source) =>
    readHooks(source) === undefined ? fileDiagnostic("error", name, notOwnFile(name)) : undefined,
};

function handlerOf(
  source: string,
  { name: _name, trigger: _trigger, action, ...fields }: JsonObject
): FileHandler[] {
  if (!isJsonObject(action) || typeof action.command !== "string") return [];
  const { command } = action;
  const at = source.indexOf(JSON.stringify(command));
  const line = source.slice(0, Math.max(at, 0)).split("\n").length;
  return [{ line, command, fields: { ...action, ...fields } }];
}

/** Returns the hooks of a file, or undefined if its text is not a list of hooks. */
function readHooks(source: string): readonly JsonObject[] | undefined {
  const { hooks } = parseObject(source);
  if (!Array.isArray(hooks)) return undefined;
  const list = (hooks as unknown[]).filter(isJsonObject);
  return list.length === hooks.length ? list : undefined;
}

function textOf(hooks: readonly JsonObject[]): string {
  return `${JSON.stringify({ version: "v1", hooks }, undefined, 2)}\n`;
}
