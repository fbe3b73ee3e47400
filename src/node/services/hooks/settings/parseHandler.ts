/** Parses one handler by its own schema. An invalid value of an optional common field does not invalidate it. */
import { definedOnly } from "@/common/definedOnly";
import { ENGLISH } from "@/common/englishMessages";
import { MAX_HANDLER_ENTRIES, MAX_HOOK_TIMEOUT_S } from "@/common/limits";
import type { JsonObject } from "@/common/json";
import type { DiagnosticList } from "@/common/source/DiagnosticList";
import type { SourceNode } from "@/common/source/SourceNode";
import { handlerTypeNotSupported, IF_NEVER_TRUE } from "@/node/services/hooks/messages/shared";
import * as messages from "@/node/services/hooks/messages/shared";
import {
  builtinHandlerSchema,
  commandHandlerSchema,
  httpHandlerSchema,
  promptHandlerSchema,
} from "@/node/services/hooks/contract/settingsSchema";
import type { HookHandler } from "@/node/services/hooks/contract/handlerTypes";

const SCHEMAS = new Map(
  [commandHandlerSchema, httpHandlerSchema, promptHandlerSchema, builtinHandlerSchema].flatMap(
    (schema) => schema.shape.type.def.values.map((type: string) => [type, schema] as const)
  )
);

/** Returns undefined for a handler that is invalid. Its problem is an error, that of an unsupported type a notice. */
export function readHandler(node: SourceNode, problems: DiagnosticList): HookHandler | undefined {
  if (node.kind !== "mapping") {
    problems.add("error", node, messages.expectedValue("a handler, an object", node.describe()));
    return undefined;
  }
  const crowded = findCrowdedValue(node);
  if (crowded !== undefined) {
    problems.add(
      "error",
      crowded,
      `expected at most ${MAX_HANDLER_ENTRIES} entries${messages.HANDLER_SKIPPED}`
    );
    return undefined;
  }
  const schema = findSchema(node, problems);
  if (schema === undefined) {
    const type = node.child("type");
    if (typeof type?.value !== "string") return undefined;
    return { ...(node.toPlain() as JsonObject), type: "unsupported", given: type.describe() };
  }
  const value = handlerValue(node, problems);
  const parsed = schema.safeParse(value, ENGLISH);
  const issues = parsed.error?.issues ?? [];
  const isEssential = ([field]: readonly PropertyKey[]): boolean =>
    ESSENTIAL.has(field) && !(field === "args" && value.args === null);
  const essential = issues.filter(({ path }) => isEssential(path));
  problems.addIssues("error", node, essential, () => messages.HANDLER_SKIPPED);
  if (essential.length > 0) return undefined;
  problems.addIssues("warning", node, issues, () => messages.DEFAULT_USED);
  const invalid = new Set(issues.map(({ path: [field] }) => field));
  const usable = Object.entries(value).filter(([field]) => !invalid.has(field));
  const handler = parsed.data ?? schema.parse(Object.fromEntries(usable));
  noteUnheeded(node, handler, problems);
  return handler;
}

/** Fields without which it is not known what to run. Any other one has a default, so that a typo opens no gate (H5). */
const ESSENTIAL: ReadonlySet<unknown> = new Set([
  "type",
  "command",
  "args",
  "url",
  "prompt",
  "name",
]);

/** Returns the handler, or a list or an object in it, if it has more entries than a schema checks in time (H20a). */
function findCrowdedValue(node: SourceNode): SourceNode | undefined {
  return [node, ...node.children].find(({ children }) => children.length > MAX_HANDLER_ENTRIES);
}

/**
 * Reads a number of seconds above 0. A number above a day counts as a day. Returns undefined with a warning for an
 * invalid value, so that the default is used.
 */
export function readSeconds(
  node: SourceNode | undefined,
  problems: DiagnosticList
): number | undefined {
  if (node === undefined) return undefined;
  const { value } = node;
  if (typeof value === "number" && value > 0) return Math.min(value, MAX_HOOK_TIMEOUT_S);
  const problem = messages.expectedValue("a number of seconds above 0", node.describe());
  problems.add("warning", node, problem + messages.DEFAULT_USED);
  return undefined;
}

function findSchema(node: SourceNode, problems: DiagnosticList) {
  const type = node.child("type");
  const known = [...SCHEMAS.keys()].join(", ");
  if (typeof type?.value !== "string") {
    const found = type === undefined ? "missing: " : "";
    const what = `${found}expected one of ${known}${messages.HANDLER_SKIPPED}`;
    problems.add("error", type ?? node, what, ...(type === undefined ? ["type"] : []));
    return undefined;
  }
  const schema = SCHEMAS.get(type.value);
  if (schema === undefined) {
    problems.add(
      "notice",
      type,
      handlerTypeNotSupported(type.describe()) + messages.HANDLER_SKIPPED
    );
  }
  return schema;
}

/** Returns the value of a handler, without values of common fields that cannot be used. */
function handlerValue(node: SourceNode, problems: DiagnosticList): JsonObject {
  return definedOnly({
    ...(node.toPlain() as JsonObject),
    timeout: readSeconds(node.child("timeout"), problems),
    statusMessage: readField(node.child("statusMessage"), problems, "a string", isString),
    failClosed: readField(node.child("failClosed"), problems, "true or false", isBoolean),
    loop_limit: readField(node.child("loop_limit"), problems, "an integer from 0", isCount),
  });
}

/** Returns a usable value, or undefined with a warning. */
function readField<T>(
  node: SourceNode | undefined,
  problems: DiagnosticList,
  expected: string,
  isUsable: (value: unknown) => value is T
): T | undefined {
  if (node === undefined) return undefined;
  const { value } = node;
  if (isUsable(value)) return value;
  const problem = messages.expectedValue(expected, node.describe());
  problems.add("warning", node, problem + messages.DEFAULT_USED);
  return undefined;
}

const isString = (value: unknown): value is string => typeof value === "string";
const isBoolean = (value: unknown): value is boolean => typeof value === "boolean";
const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0;

/** Reports fields of other tools that have no effect on these events. */
function noteUnheeded(node: SourceNode, handler: HookHandler, problems: DiagnosticList): void {
  const condition = node.child("if");
  if (condition !== undefined) {
    problems.add("notice", condition, IF_NEVER_TRUE);
  }
  const rewake = node.child("asyncRewake");
  if (rewake !== undefined && handler.type === "command" && handler.asyncRewake === true) {
    problems.add(
      "notice",
      rewake,
      "the hook runs in the background and does not wake the agent; if it exits with code 2, the agent gets its finding with your next message"
    );
  }
}
