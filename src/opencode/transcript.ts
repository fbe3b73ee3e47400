/**
 * Converts the messages of an opencode session to Mux's format, and writes them as the transcript for its hooks, in a
 * folder that also gets the records of their runs (H13, H24). Removes the oldest folders. Also determines how the last
 * turn ended and whether a user wrote a message, and makes the message that sends the agent back.
 */
import { mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { err, ok, type Result } from "neverthrow";
import { definedOnly } from "@/common/definedOnly";
import { describeError } from "@/common/errors";
import type { ChatMessage, MessagePart } from "@/common/chatMessage";
import type { Message, Part, MessageInfo, PromptBody } from "@/opencode/opencodeTypes";
import type { UserPlace } from "@/wiring";
import { isJsonObject } from "@/common/json";
import type { TurnFinish } from "@/node/services/hooks/index";

/** The number of sessions whose folders are kept. */
const MAX_SESSIONS = 200;

/** Returns the folder of all transcripts. */
function rootOf({ env, home }: UserPlace): string {
  const { XDG_STATE_HOME: state = "" } = env;
  const base = isAbsolute(state) ? state : join(home, ".local", "state");
  return join(base, "mux-stop-hooks", "opencode");
}

/** Returns the path of a session's transcript. The session's folder has the name of its ID. */
export function transcriptPath(place: UserPlace, sessionID: string): string {
  return join(rootOf(place), safeName(sessionID), "chat.jsonl");
}

/** Replaces the transcript. Creates the folder of a new session, and removes the oldest ones. */
export async function writeTranscript(
  place: UserPlace,
  sessionID: string,
  rows: readonly ChatMessage[]
): Promise<Result<void, string>> {
  const path = transcriptPath(place, sessionID);
  try {
    const created = await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    if (created !== undefined) await removeOldest(rootOf(place));
    const text = rows.map((row) => `${JSON.stringify(row)}\n`).join("");
    await writeFile(path, text, { mode: 0o600 });
    return ok(undefined);
  } catch (thrown) {
    return err(
      `hooks run without a transcript, because ${path} could not be written: ${describeError(thrown)}`
    );
  }
}

/** Removes the folder of a session that the user deleted. */
export async function removeTranscript(place: UserPlace, sessionID: string): Promise<void> {
  await rm(join(rootOf(place), safeName(sessionID)), { recursive: true, force: true });
}

async function removeOldest(root: string): Promise<void> {
  const names = await readdir(root);
  if (names.length <= MAX_SESSIONS) return;
  const folders = await Promise.all(
    names.map(async (name) => {
      const path = join(root, name);
      // The transcript is written at each stop, which does not change the time of its folder.
      const paths = [join(path, "chat.jsonl"), path];
      const found = await Promise.all(paths.map((each) => stat(each).catch(() => undefined)));
      return { path, time: Math.max(...found.map((each) => each?.mtimeMs ?? 0)) };
    })
  );
  const oldest = folders.toSorted((a, b) => a.time - b.time).slice(0, names.length - MAX_SESSIONS);
  await Promise.all(oldest.map(({ path }) => rm(path, { recursive: true, force: true })));
}

/** Returns the name of a session's folder. opencode creates the IDs, but its server accepts some from clients. */
function safeName(sessionID: string): string {
  return sessionID.replace(/[^\w-]/g, "_").slice(0, 100) || "_";
}

/** Returns the rows of a transcript. */
export function toRows(sessionID: string, messages: readonly Message[]): ChatMessage[] {
  return messages.map(({ info, parts }, index) => {
    const isUser = info.role === "user";
    return {
      id: info.id,
      role: isUser ? "user" : "assistant",
      parts: parts.flatMap(toPart),
      metadata: {
        historySequence: index,
        timestamp: info.time?.created ?? 0,
        model: info.modelID ?? info.model?.modelID,
        agentId: info.agent,
        finishReason: info.finish,
        ...(info.error === undefined ? {} : { partial: true, error: info.error.name ?? "" }),
        ...(isUser && isContinuation(parts) ? { muxMetadata: { stopHookActive: true } } : {}),
        ...(isUser && !isFromUser(parts) ? { synthetic: true } : {}),
      },
      workspaceId: sessionID,
    };
  });
}

/** Converts a text or a tool call. Returns an empty list for any other part. */
export function toPart({ type, text = "", tool = "", callID = "", state }: Part): MessagePart[] {
  if (type === "text") return [{ type, text }];
  if (type !== "tool") return [];
  const output = state?.output ?? state?.error;
  const call = { type: "dynamic-tool", toolCallId: callID, toolName: tool } as const;
  const input = state?.input ?? {};
  return output === undefined
    ? [{ ...call, input, state: "input-available" }]
    : [{ ...call, input, state: "output-available", output }];
}

/** The metadata key of the messages that hooks wrote. */
const MARK = "mux-stop-hooks";

/** How the last turn of a session ended. */
export interface TurnEnd {
  /** The ID of the last answer. */
  readonly answerID: string;
  readonly answer: Message;
  readonly finish: TurnFinish;
  readonly isCompaction: boolean;
  readonly agent: string;
}

/** Returns undefined if the session does not end with an answer, for example after an interrupt before the answer. */
export function turnEnd(messages: readonly Message[]): TurnEnd | undefined {
  const answer = messages.at(-1);
  if (answer?.info.role !== "assistant") return undefined;
  const { info } = answer;
  return {
    answer,
    answerID: info.id,
    finish: finishOf(info),
    isCompaction: info.summary === true,
    agent: info.agent ?? lastUserInfo(messages)?.agent ?? "",
  };
}

function finishOf({ error, finish }: MessageInfo): TurnFinish {
  if (error?.name === "MessageAbortedError") return "interrupted";
  if (error !== undefined) return "error";
  switch (finish) {
    // A message without a reason was not written by a model, such as the output of a shell command of the user.
    case undefined:
    case "error":
      return "error";
    case "length":
      return "length";
    case "content-filter":
      return "refusal";
    case "tool-calls":
      return "toolCalls";
    // Some servers send no reason, which opencode calls "unknown" or "other".
    default:
      return "stop";
  }
}

/** Returns a message of the hooks, for the agent, the model and the other options of the user's last message. */
export function continuationOf(messages: readonly Message[], text: string): PromptBody {
  const { agent, model, variant, system, tools } = lastUserInfo(messages) ?? {};
  return {
    ...definedOnly({ agent, model, variant, system, tools }),
    parts: [{ type: "text", text, metadata: { [MARK]: { stopHookActive: true } } }],
  };
}

/** Returns whether the hooks wrote a message. */
function isContinuation(parts: readonly Part[]): boolean {
  return parts.some(({ metadata }) => isJsonObject(metadata) && MARK in metadata);
}

/** Returns whether a user wrote a message. opencode and other plugins mark the texts that they write. */
export function isFromUser(parts: readonly Part[]): boolean {
  return !isContinuation(parts) && parts.some(({ synthetic }) => synthetic !== true);
}

function lastUserInfo(messages: readonly Message[]): MessageInfo | undefined {
  return messages.findLast(({ info }) => info.role === "user")?.info;
}
