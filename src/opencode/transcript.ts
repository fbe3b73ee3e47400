/** Writes the transcript of a session in Mux's format for its hooks, with their records beside it (H13, H24). */
import { mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { err, ok, type Result } from "neverthrow";
import { describeError } from "@/common/errors";
import type { ChatMessage, MessagePart } from "@/common/chatMessage";
import type { Message, Part } from "@/opencode/opencodeTypes";
import { isContinuation, isFromUser } from "@/opencode/turnState";
import type { UserPlace } from "@/wiring";

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
    const root = rootOf(place);
    const created = await mkdir(join(root, safeName(sessionID)), { recursive: true, mode: 0o700 });
    if (created !== undefined) await removeOldest(root);
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
      const found = await stat(path).catch(() => undefined);
      return { path, time: found?.mtimeMs ?? 0 };
    })
  );
  const oldest = folders.toSorted((a, b) => a.time - b.time).slice(0, names.length - MAX_SESSIONS);
  await Promise.all(oldest.map(({ path }) => rm(path, { recursive: true, force: true })));
}

/** opencode creates the IDs, but a server accepts some from its clients. */
function safeName(sessionID: string): string {
  return sessionID.replace(/[^\w-]/g, "_").slice(0, 100) || "_";
}

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
