/** Parses one handler by the keys of its type. An invalid value of an optional key does not invalidate it. */
import { ENGLISH } from "@/common/englishMessages";
import { MAX_HANDLER_ENTRIES } from "@/common/limits";
import type { Severity } from "@/common/diagnostics";
import type { JsonObject } from "@/common/json";
import type { DiagnosticList } from "@/common/source/DiagnosticList";
import type { SourceNode } from "@/common/source/SourceNode";
import { handlerTypeNotSupported, IF_NEVER_TRUE } from "@/node/services/hooks/messages/shared";
import * as messages from "@/node/services/hooks/messages/shared";
import {
  HANDLER_KEYS,
  type HandlerKey,
  type SettingKey,
} from "@/node/services/hooks/contract/settingsKeys";
import type { HookHandler } from "@/node/services/hooks/contract/handlerTypes";

const TYPES = new Map(
  Object.entries(HANDLER_KEYS).map(([type, keys]) => [
    type,
    new Map(Object.entries<HandlerKey>(keys)),
  ])
);

/** Returns undefined for a handler that is invalid. Its problem is an error, that of an unsupported type a notice. */
export function readHandler(node: SourceNode, problems: DiagnosticList): HookHandler | undefined {
  if (node.kind !== "mapping") {
    problems.add("error", node, messages.expectedValue("a handler, an object", node.describe()));
    return undefined;
  }
  // A schema would not check that many entries in time (H20a).
  const isCrowded = ({ children }: SourceNode): boolean => children.length > MAX_HANDLER_ENTRIES;
  const crowded = isCrowded(node) ? node : node.children.find(isCrowded);
  if (crowded !== undefined) {
    const most = `expected at most ${MAX_HANDLER_ENTRIES} entries`;
    problems.add("error", crowded, most + messages.HANDLER_SKIPPED);
    return undefined;
  }
  const type = node.child("type");
  if (typeof type?.value !== "string") {
    const found = type === undefined ? "missing: " : "";
    const what = `${found}expected one of ${[...TYPES.keys()].join(", ")}${messages.HANDLER_SKIPPED}`;
    problems.add("error", type ?? node, what, ...(type === undefined ? ["type"] : []));
    return undefined;
  }
  const keys = TYPES.get(type.value);
  const value = node.toPlain() as JsonObject;
  if (keys === undefined) {
    const what = handlerTypeNotSupported(type.describe());
    problems.add("notice", type, what + messages.HANDLER_SKIPPED);
    return { ...value, type: "unsupported", given: type.describe() };
  }
  if (!readFields(node, value, keys, problems)) return undefined;
  const handler = value as unknown as HookHandler;
  // Fields of other tools that have no effect on these events.
  const condition = "if" in value ? node.child("if") : undefined;
  if (condition !== undefined) problems.add("notice", condition, IF_NEVER_TRUE);
  const rewake = handler.asyncRewake === true ? node.child("asyncRewake") : undefined;
  if (rewake !== undefined && handler.type === "command") {
    problems.add(
      "notice",
      rewake,
      "the hook runs in the background and does not wake the agent; if it exits with code 2, the agent gets its finding with your next message"
    );
  }
  return handler;
}

/**
 * Normalizes the fields of `value` and removes unusable ones. Returns false if the handler cannot run without one. Checks
 * only fields that it has or must have: a schema checks all that there can be, which takes four times as long, and a clone
 * can have hundreds of handlers (H5).
 */
function readFields(
  node: SourceNode,
  value: JsonObject,
  keys: ReadonlyMap<string, HandlerKey>,
  problems: DiagnosticList
): boolean {
  let isRunnable = true;
  for (const [name, key] of keys) {
    const isSet = name in value;
    if (!isSet && key.needed !== "always") continue;
    const skips = key.needed === "always" || (key.needed === "if set" && value[name] !== null);
    const usable = skips
      ? readKey(node, name, key, problems, "error", messages.HANDLER_SKIPPED)
      : readKey(node, name, key, problems, "warning", messages.DEFAULT_USED);
    if (usable === undefined) Reflect.deleteProperty(value, name);
    else value[name] = usable;
    isRunnable &&= !skips || usable !== undefined;
  }
  return isRunnable;
}

/** Returns the value of a key of `parent`, or undefined with a problem that ends with `consequence`. */
export function readKey(
  parent: SourceNode,
  name: string,
  { schema, expected, convert }: SettingKey,
  problems: DiagnosticList,
  severity: Severity,
  consequence: string
): unknown {
  const node = parent.child(name);
  const value = node?.toPlain();
  const parsed = schema.safeParse(convert === undefined ? value : convert(value), ENGLISH);
  if (parsed.success) return parsed.data;
  if (expected !== undefined && node !== undefined) {
    const problem = messages.expectedValue(expected, node.describe());
    problems.add(severity, node, problem + consequence);
  } else {
    const issues = parsed.error.issues.map((issue) => ({ ...issue, path: [name, ...issue.path] }));
    problems.addIssues(severity, parent, issues, () => consequence);
  }
  return undefined;
}
