/** Parses one handler by its own schema. An invalid value of an optional common field does not invalidate it. */
import type * as z from "zod/mini";
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

/** The schema of each type, and the field without which it is not known what to run. */
const TYPES = new Map([
  ["command", typeOf(commandHandlerSchema, "command")],
  ["http", typeOf(httpHandlerSchema, "url")],
  ["prompt", typeOf(promptHandlerSchema, "prompt")],
  ["builtin", typeOf(builtinHandlerSchema, "name")],
]);

function typeOf({ shape }: { readonly shape: Record<string, z.ZodMiniType> }, main: string) {
  const { type, ...fields } = shape;
  return { fields: new Map(Object.entries(fields)), main };
}

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
  const known = findType(node, problems);
  if (known === undefined) {
    const type = node.child("type");
    if (typeof type?.value !== "string") return undefined;
    return { ...(node.toPlain() as JsonObject), type: "unsupported", given: type.describe() };
  }
  const value = node.toPlain() as JsonObject;
  for (const [field, read] of COMMON) {
    if (!(field in value)) continue;
    const usable = read(node.child(field), problems);
    if (usable === undefined) Reflect.deleteProperty(value, field);
    else value[field] = usable;
  }
  const issues = findIssues(known, value);
  const isEssential = ([field]: readonly PropertyKey[]): boolean =>
    ESSENTIAL.has(field) && !(field === "args" && value.args === null);
  const essential = issues.filter(({ path }) => isEssential(path));
  problems.addIssues("error", node, essential, () => messages.HANDLER_SKIPPED);
  if (essential.length > 0) return undefined;
  problems.addIssues("warning", node, issues, () => messages.DEFAULT_USED);
  for (const { path } of issues) Reflect.deleteProperty(value, path[0] ?? "");
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
 * Checks the fields that a handler has or must have, and normalizes them. A schema checks all fields that there can be, which takes four
 * times as long, and a clone can have hundreds of handlers (H5).
 */
function findIssues({ fields, main }: HandlerType, value: JsonObject): z.core.$ZodIssue[] {
  const issues: z.core.$ZodIssue[] = [];
  const check = (field: string, type: z.ZodMiniType | undefined): void => {
    const parsed = type?.safeParse(value[field], ENGLISH);
    if (parsed?.success === true) value[field] = parsed.data;
    for (const issue of parsed?.error?.issues ?? []) {
      issues.push({ ...issue, path: [field, ...issue.path] });
    }
  };
  if (!(main in value)) check(main, fields.get(main));
  for (const field of Object.keys(value)) check(field, fields.get(field));
  return issues;
}

type HandlerType = ReturnType<typeof typeOf>;

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
  const isCrowded = ({ children }: SourceNode): boolean => children.length > MAX_HANDLER_ENTRIES;
  return isCrowded(node) ? node : node.children.find(isCrowded);
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

function findType(node: SourceNode, problems: DiagnosticList) {
  const type = node.child("type");
  if (typeof type?.value !== "string") {
    const types = [...TYPES.keys()].join(", ");
    const found = type === undefined ? "missing: " : "";
    const what = `${found}expected one of ${types}${messages.HANDLER_SKIPPED}`;
    problems.add("error", type ?? node, what, ...(type === undefined ? ["type"] : []));
    return undefined;
  }
  const known = TYPES.get(type.value);
  if (known === undefined) {
    problems.add(
      "notice",
      type,
      handlerTypeNotSupported(type.describe()) + messages.HANDLER_SKIPPED
    );
  }
  return known;
}

/** Returns a function that returns a usable value, or undefined with a warning. */
function readField(expected: string, isUsable: (value: unknown) => boolean) {
  return (node: SourceNode | undefined, problems: DiagnosticList): unknown => {
    if (node === undefined || isUsable(node.value)) return node?.value;
    const problem = messages.expectedValue(expected, node.describe());
    problems.add("warning", node, problem + messages.DEFAULT_USED);
    return undefined;
  };
}

/** Readers of the common fields, whose values are left out if they cannot be used. */
const COMMON = [
  ["timeout", readSeconds],
  ["statusMessage", readField("a string", (value) => typeof value === "string")],
  ["failClosed", readField("true or false", (value) => typeof value === "boolean")],
  [
    "loop_limit",
    readField("an integer from 0", (value) => Number.isSafeInteger(value) && Number(value) >= 0),
  ],
] as const;
