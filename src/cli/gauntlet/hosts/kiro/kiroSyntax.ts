/** Hooks of Kiro: one list, in which each has a trigger and an action. The whole file belongs to the gauntlet. */
import { err, ok } from "neverthrow";
import { notOwnFile, type HookSyntax } from "@/cli/gauntlet/init/hooks/hookSyntax";
import { fileDiagnostic } from "@/common/diagnostics";
import { isJsonObject, parseJson, type JsonObject } from "@/common/json";
import type { FileHandler } from "@/node/services/hooks/index";

export const kiroSyntax: HookSyntax = {
  commandKey: "command",
  list: (source, event) =>
    hooksOf(source)
      .filter(({ trigger }) => trigger === event)
      .flatMap(({ action, ...hook }) => handlerOf(source, action, hook)),
  add: (file, source, event, { type, command, ...fields }) => {
    const hooks: readonly JsonObject[] | undefined = source.trim() === "" ? [] : readHooks(source);
    if (hooks === undefined) return err(fileDiagnostic("error", file, notOwnFile(file)));
    const name = `agent-gauntlet ${event}`;
    const action = { type, command };
    return ok(textOf([...hooks, { name, trigger: event, action, ...fields }]));
  },
  replace: (source, event, replace) =>
    changed(source, (hook) => {
      const [handler] = hook.trigger === event ? handlerOf(source, hook.action, hook) : [];
      const { type, command, ...fields } = (handler && replace(handler.fields)) ?? {};
      return command === undefined ? hook : { ...hook, action: { type, command }, ...fields };
    }),
  remove: (source, event, isRemoved) =>
    changed(source, ({ action, ...hook }) => {
      const [handler] = hook.trigger === event ? handlerOf(source, action, hook) : [];
      return handler !== undefined && isRemoved(handler.fields) ? undefined : { action, ...hook };
    }),
  isEmpty: (source) => readHooks(source)?.length === 0,
  check: (name, source) =>
    readHooks(source) === undefined ? fileDiagnostic("error", name, notOwnFile(name)) : undefined,
};

function handlerOf(
  source: string,
  action: unknown,
  { name: _name, trigger: _trigger, action: _action, ...fields }: JsonObject
): FileHandler[] {
  if (!isJsonObject(action) || typeof action.command !== "string") return [];
  const { command } = action;
  const at = source.indexOf(JSON.stringify(command));
  const line = source.slice(0, Math.max(at, 0)).split("\n").length;
  return [{ line, command, fields: { ...action, ...fields } }];
}

function changed(source: string, change: (hook: JsonObject) => JsonObject | undefined): string {
  const hooks = readHooks(source);
  const after = hooks?.map(change).filter((hook) => hook !== undefined);
  return after === undefined || JSON.stringify(after) === JSON.stringify(hooks)
    ? source
    : textOf(after);
}

function hooksOf(source: string): readonly JsonObject[] {
  return readHooks(source) ?? [];
}

/** Returns undefined if the text is not a list of hooks. */
function readHooks(source: string): readonly JsonObject[] | undefined {
  const file = parseJson(source).unwrapOr(undefined);
  const hooks = isJsonObject(file) ? file.hooks : undefined;
  if (!Array.isArray(hooks)) return undefined;
  const list = (hooks as unknown[]).filter(isJsonObject);
  return list.length === hooks.length ? list : undefined;
}

function textOf(hooks: readonly JsonObject[]): string {
  return `${JSON.stringify({ version: "v1", hooks }, undefined, 2)}\n`;
}
