/** Parses one handler by its own schema. An invalid `timeout` or `statusMessage` does not invalidate it (§2). */
import { getNodeValue, type Node } from "jsonc-parser";
import { definedOnly } from "@/common/definedOnly";
import { MAX_HANDLER_ENTRIES, MAX_HOOK_TIMEOUT_S } from "@/common/limits";
import type { JsonObject } from "@/common/json";
import { describeNode, propertyOf } from "@/node/services/hooks/settings/jsoncDocument";
import type { SettingsProblems } from "@/node/services/hooks/settings/diagnostics";
import {
  builtinHandlerSchema,
  commandHandlerSchema,
  httpHandlerSchema,
  promptHandlerSchema,
  type HookHandler,
} from "@/node/services/hooks/contract/settingsSchema";

const SCHEMAS = new Map(
  [commandHandlerSchema, httpHandlerSchema, promptHandlerSchema, builtinHandlerSchema].map(
    (schema) => [schema.shape.type.value as string, schema] as const
  )
);

export function readHandler(node: Node, problems: SettingsProblems): HookHandler | undefined {
  if (node.type !== "object") {
    problems.add("error", node, `expected a handler, an object, found ${describeNode(node)}`);
    return undefined;
  }
  const crowded = findCrowdedValue(node);
  if (crowded !== undefined) {
    const problem = `expected at most ${MAX_HANDLER_ENTRIES} entries; the handler is skipped`;
    problems.add("error", crowded, problem);
    return undefined;
  }
  const schema = findSchema(node, problems);
  if (schema === undefined) return undefined;
  const parsed = schema.safeParse(handlerValue(node, problems));
  if (!parsed.success) {
    problems.addIssues("error", node, parsed.error, "; the handler is skipped");
    return undefined;
  }
  noteUnheeded(node, parsed.data, problems);
  return parsed.data;
}

/** Returns the handler, or a list or an object in it, if it has more entries than a schema checks in time (H20a). */
function findCrowdedValue(node: Node): Node | undefined {
  const values = node.children?.map((property) => property.children?.[1]) ?? [];
  return [node, ...values].find((value) => (value?.children?.length ?? 0) > MAX_HANDLER_ENTRIES);
}

/** Reads a number of seconds above 0. A day counts for anything longer, and the default for an invalid value. */
export function readSeconds(
  node: Node | undefined,
  problems: SettingsProblems
): number | undefined {
  if (node === undefined) return undefined;
  const value: unknown = node.value;
  if (typeof value === "number" && value > 0) return Math.min(value, MAX_HOOK_TIMEOUT_S);
  const expected = "expected a number of seconds above 0";
  problems.add("warning", node, `${expected}, found ${describeNode(node)}; the default counts`);
  return undefined;
}

function findSchema(node: Node, problems: SettingsProblems) {
  const type = propertyOf(node, "type");
  const known = [...SCHEMAS.keys()].join(", ");
  if (type?.type !== "string") {
    const found = type === undefined ? "missing: " : "";
    const what = `${found}expected one of ${known}; the handler is skipped`;
    problems.add("error", type ?? node, what, ...(type === undefined ? ["type"] : []));
    return undefined;
  }
  const schema = SCHEMAS.get(String(type.value));
  if (schema === undefined) {
    const what = `handlers of type ${describeNode(type)} are not supported here (command and builtin are)`;
    problems.add("notice", type, `${what}; the handler is skipped`);
  }
  return schema;
}

/** Returns the value of a handler, without a time limit or a progress line that cannot be used. */
function handlerValue(node: Node, problems: SettingsProblems): JsonObject {
  return definedOnly({
    ...(getNodeValue(node) as JsonObject),
    timeout: readSeconds(propertyOf(node, "timeout"), problems),
    statusMessage: readStatusMessage(propertyOf(node, "statusMessage"), problems),
  });
}

function readStatusMessage(node: Node | undefined, problems: SettingsProblems): string | undefined {
  if (node === undefined) return undefined;
  if (node.type === "string") return String(node.value);
  const message = `expected a string, found ${describeNode(node)}; the default counts`;
  problems.add("warning", node, message);
  return undefined;
}

/** Reports fields of other tools that have no effect on these events. */
function noteUnheeded(node: Node, handler: HookHandler, problems: SettingsProblems): void {
  const condition = propertyOf(node, "if");
  if (condition !== undefined) {
    const message = 'an "if" never holds on this event, so the handler never runs; take it out';
    problems.add("notice", condition, message);
  }
  const rewake = propertyOf(node, "asyncRewake");
  if (rewake !== undefined && handler.type === "command" && handler.asyncRewake === true) {
    const message = "it runs in the background as with async, and wakes nobody when it ends";
    problems.add("notice", rewake, message);
  }
}
