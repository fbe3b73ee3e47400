/**
 * Creates, in a temporary folder, the session that `mux-stop-hooks hooks test` runs hooks for: a new minimal one, or a
 * copy of a transcript. Returns the input of the hooks. `hooks run` uses such a folder too.
 */
import { constants } from "node:fs";
import { copyFile, mkdir, mkdtemp, realpath, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { err, ok, type Result } from "neverthrow";
import { describeError, errorCode } from "@/common/errors";
import * as hooks from "@/node/services/hooks/index";
import { ChatHistory } from "@/node/services/session/chatHistory";
import { finalText, newMessageId, type ChatMessage } from "@/common/chatMessage";
import { notReadable } from "@/cli/messages/shared";

/** The options of `hooks test` that describe the session. */
export interface TestSubject {
  /** Absolute: the transcript to copy. It is copied because hooks write their records beside the transcript. */
  readonly transcript?: string;
  readonly lastMessage?: string;
  readonly agentType?: string;
  readonly continuation?: number;
}

export interface TestSession {
  readonly input: hooks.StopHookInput;
  readonly continuation: number;
}

const SESSION_ID = "mux-hooks-test";
const TASK_ID = "task-test";
const DEFAULT_AGENT_TYPE = "explore";

/** Runs `work` with a new folder and removes the folder afterwards. */
export async function withTempDir<T>(work: (dir: string) => Promise<T>): Promise<T> {
  const dir = await realpath(await mkdtemp(join(tmpdir(), "mux-hooks-")));
  try {
    return await work(dir);
  } finally {
    // A hook that was just killed may still have been writing.
    await rm(dir, { recursive: true, force: true, maxRetries: 5 });
  }
}

/**
 * Creates the session in an empty folder. Returns the input for the hooks, or an error message about the transcript.
 */
export async function makeTestSession(
  event: hooks.HookEventName,
  subject: TestSubject,
  projectDir: string,
  sessionDir: string
): Promise<Result<TestSession, string>> {
  const main = join(sessionDir, "chat.jsonl");
  const isChild = event === "SubagentStop";
  const own = isChild ? join(sessionDir, "subagents", TASK_ID, "chat.jsonl") : main;
  const history = await openHistory(own, subject);
  if (history.isErr()) return err(history.error);
  if (isChild) {
    const parent = await openHistory(main, {});
    if (parent.isErr()) return err(parent.error);
  }
  const { messages } = history.value;
  const continuation = subject.continuation ?? hooks.continuationsInTurn(messages);
  const last = messages.findLast(({ role }) => role === "assistant");
  const input: hooks.StopHookInput = {
    session_id: isChild ? TASK_ID : SESSION_ID,
    transcript_path: own,
    cwd: projectDir,
    permission_mode: "default",
    hook_event_name: event,
    stop_hook_active: continuation > 0,
    last_assistant_message: finalText(last?.parts ?? []),
    background_tasks: [],
    session_crons: [],
  };
  const ofChild = {
    agent_id: TASK_ID,
    agent_type: subject.agentType ?? DEFAULT_AGENT_TYPE,
    agent_transcript_path: own,
    parent_session_id: SESSION_ID,
    parent_transcript_path: main,
  };
  return ok({ input: isChild ? { ...input, ...ofChild } : input, continuation });
}

/** Opens a chat history. Without a transcript it has a default request and a default reply that the agent is done. */
async function openHistory(
  path: string,
  { transcript, lastMessage }: TestSubject
): Promise<Result<ChatHistory, string>> {
  if (transcript !== undefined) {
    const problem = await copyTranscript(transcript, path);
    if (problem !== undefined) return err(problem);
  }
  const opened = await ChatHistory.open(path);
  if (opened.isErr()) return err(opened.error.message);
  const history = opened.value;
  if (transcript === undefined) await append(history, "user", "Do the task.");
  const last = lastMessage ?? (transcript === undefined ? "I am done." : undefined);
  if (last !== undefined) await append(history, "assistant", last);
  return ok(history);
}

async function copyTranscript(from: string, to: string): Promise<string | undefined> {
  try {
    // Opening a pipe would block until another process writes to it.
    if (!(await stat(from)).isFile()) return `the transcript ${from} is not a regular file`;
    await mkdir(dirname(to), { recursive: true });
    await copyFile(from, to, constants.COPYFILE_FICLONE);
    return undefined;
  } catch (thrown) {
    if (errorCode(thrown) === "ENOENT") return `the transcript ${from} does not exist`;
    return notReadable(`the transcript ${from}`, describeError(thrown));
  }
}

async function append(
  history: ChatHistory,
  role: ChatMessage["role"],
  text: string
): Promise<void> {
  await history.append({
    id: newMessageId(role),
    role,
    parts: [{ type: "text", text }],
    metadata: { historySequence: history.nextSequence, timestamp: Date.now() },
    workspaceId: SESSION_ID,
  });
}
