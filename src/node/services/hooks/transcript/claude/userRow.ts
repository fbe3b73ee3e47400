/** Converts the rows of the user, and those that were written in the user's place (H37). */
import { isJsonObject, type JsonObject } from "@/common/json";
import { continuationHeading } from "@/node/services/hooks/messages/stop";
import { mediaBlock } from "@/node/services/hooks/transcript/claude/convertCall";
import { partsOf, textOf } from "@/node/services/hooks/transcript/rows";

/** The part of a row that its kind determines. */
type RowBody = JsonObject & { readonly type: string };

export interface DatedBody {
  readonly body: RowBody;
  /** Milliseconds since 1970, if the part has a time of its own. */
  readonly time?: unknown;
  /** Whether the row begins a new chain of rows. */
  readonly isRoot?: boolean;
}

const EVENTS = ["Stop", "SubagentStop"] as const;

export function convertUserRow(row: JsonObject, metadata: JsonObject): DatedBody[] {
  const parts = partsOf(row);
  const text = textOf(parts);
  const mux = isJsonObject(metadata.muxMetadata) ? metadata.muxMetadata : {};
  const isOfHooks = mux.stopHookActive === true;
  const isInUsersPlace =
    isOfHooks || metadata.synthetic === true || mux.type === "compaction-request";
  if (!isInUsersPlace) return [{ body: prompt(withMedia(text, parts)) }];
  // Text alone decides nothing, because a user could type it (H27).
  return [{ body: contextOfHooks(text) ?? { ...prompt(feedback(text, isOfHooks)), isMeta: true } }];
}

function prompt(content: unknown) {
  return { type: "user", message: { role: "user", content } };
}

/** Returns the reasons of hooks with the heading that Claude Code gives them. */
function feedback(text: string, isOfHooks: boolean): string {
  if (!isOfHooks) return text;
  const headings = EVENTS.map((event) => `${continuationHeading(event, false)}\n`);
  const heading = headings.find((candidate) => text.startsWith(candidate)) ?? "";
  return `Stop hook feedback:\n${text.slice(heading.length)}`;
}

/** Returns the row for additional context, or undefined if the text is not additional context. */
function contextOfHooks(text: string) {
  for (const event of EVENTS) {
    const heading = `${continuationHeading(event, true)}\n`;
    if (!text.startsWith(heading)) continue;
    const content = [text.slice(heading.length)];
    return {
      type: "attachment",
      attachment: { type: "hook_additional_context", content, hookName: event, hookEvent: event },
    };
  }
  return undefined;
}

/** Returns the text alone, as Claude Code writes what a user typed, or blocks if images or documents are attached. */
function withMedia(text: string, parts: readonly JsonObject[]): string | JsonObject[] {
  const media = parts.flatMap(toMedia);
  return media.length === 0 ? text : [...(text === "" ? [] : [{ type: "text", text }]), ...media];
}

function toMedia({ type, url }: JsonObject): JsonObject[] {
  if (type !== "file" || typeof url !== "string") return [];
  const [prefix, mediaType] = /^data:([^;,]{1,100});base64,/.exec(url) ?? [];
  if (prefix === undefined || mediaType === undefined) return [];
  return [mediaBlock(mediaType, url.slice(prefix.length))];
}
