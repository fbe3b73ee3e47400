/** Converts an answer of the agent: one row for each block, and one for each result of a tool (H37). */
import type { JsonObject } from "@/common/json";
import { convertCall } from "@/node/services/hooks/transcript/claude/convertCall";
import type { DatedBody } from "@/node/services/hooks/transcript/claude/rowBody";
import {
  modelName,
  stopReason,
  usageByRequest,
} from "@/node/services/hooks/transcript/claude/usage";
import { partsOf } from "@/node/services/hooks/transcript/rows";

export interface AnswerScope {
  readonly cwd: string;
  /** The to-do list before the answer. */
  readonly todos: readonly JsonObject[];
  /** Returns what the IDs of a request end with, by its position in the answer. */
  readonly requestKey: (request: number) => string;
  /** Returns the ID of a row, by its position in the answer. */
  readonly rowUuid: (position: number) => string;
}

export interface ConvertedAnswer {
  readonly bodies: DatedBody[];
  /** The to-do list after the answer. */
  readonly todos: readonly JsonObject[];
}

/** A block with the request that it belongs to, or the result of a tool. */
type Piece =
  | { readonly kind: "block"; readonly block: JsonObject; request: number; time: unknown }
  | {
      readonly kind: "result";
      readonly block: JsonObject;
      readonly structured: unknown;
      time: unknown;
    };

export function convertAnswer(
  row: JsonObject,
  metadata: JsonObject,
  scope: AnswerScope
): ConvertedAnswer {
  const { pieces, requests, todos } = piecesOf(row, scope);
  const usages = usageByRequest(metadata, requests);
  const model = modelName(metadata.model);
  const bodies = pieces.map((piece, position): DatedBody => {
    const { block, time } = piece;
    if (piece.kind === "result") {
      return { body: resultBody(piece, scope.rowUuid(position - 1)), time };
    }
    const { request } = piece;
    const isLast = request === requests - 1;
    const message = {
      model,
      id: `msg_${scope.requestKey(request)}`,
      type: "message",
      role: "assistant",
      content: [block],
      stop_reason: isLast ? stopReason(metadata) : "tool_use",
      stop_sequence: null,
      usage: usages[request],
    };
    // Hooks that add up the usage recognize the rows of one request by both IDs.
    const requestId = `req_${scope.requestKey(request)}`;
    return { body: { type: "assistant", message, requestId }, time };
  });
  return { bodies, todos };
}

function resultBody({ block, structured }: Piece & { kind: "result" }, callUuid: string) {
  return {
    type: "user",
    message: { role: "user", content: [block] },
    toolUseResult: structured,
    sourceToolAssistantUUID: callUuid,
  };
}

/** Splits an answer into its blocks. The result of a tool ends a request. */
function piecesOf(row: JsonObject, scope: AnswerScope) {
  const pieces: Piece[] = [];
  let { todos } = scope;
  let request = 0;
  let requests = 0;
  for (const part of joinText(partsOf(row))) {
    const time = part.timestamp;
    if (part.type === "dynamic-tool") {
      const call = convertCall(part, { cwd: scope.cwd, todos });
      pieces.push({ kind: "block", block: call.use, request, time });
      requests = request + 1;
      if (call.result === undefined) continue;
      todos = call.todos ?? todos;
      pieces.push({ kind: "result", ...call.result, time });
      request++;
    } else {
      const block = textBlock(part);
      if (block === undefined) continue;
      pieces.push({ kind: "block", block, request, time });
      requests = request + 1;
    }
  }
  return { pieces, requests, todos };
}

function textBlock({ type, text, signature = "" }: JsonObject): JsonObject | undefined {
  if (typeof text !== "string" || text === "") return undefined;
  if (type === "text") return { type, text };
  return type === "reasoning" ? { type: "thinking", thinking: text, signature } : undefined;
}

/** Joins adjacent text and reasoning. Mux stores one part per delta, whereas Claude's blocks are whole. */
function joinText(parts: readonly JsonObject[]): JsonObject[] {
  const groups: JsonObject[][] = [];
  for (const part of parts) {
    const last = groups.at(-1);
    const first = last?.[0];
    if (first !== undefined && isText(first) && isText(part) && first.type === part.type) {
      last?.push(part);
    } else groups.push([part]);
  }
  return groups.map((group) => {
    if (group.length === 1) return group[0] ?? {};
    const signature = group.findLast((part) => part.signature !== undefined)?.signature;
    return { ...group[0], signature, text: group.map(({ text }) => text).join("") };
  });
}

function isText({ type, text }: JsonObject): boolean {
  return (type === "text" || type === "reasoning") && typeof text === "string";
}
