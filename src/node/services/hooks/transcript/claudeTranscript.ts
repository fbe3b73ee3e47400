/** Writes the transcripts that hooks of the claude dialect read (H9, H37). */
import { posix } from "node:path";
import { parseGitFile } from "@/common/gitFile";
import { KIB } from "@/common/limits";
import type { Files } from "@/node/runtime/HookRuntime";
import type { ClaudeTranscripts, CompleteHookInput } from "@/node/services/hooks/contract/input";
import { ClaudeCopy } from "@/node/services/hooks/transcript/claude/ClaudeCopy";
import type { TranscriptContext } from "@/node/services/hooks/transcript/claude/Projection";

/** Where the transcripts of an input are. */
export interface TranscriptPlace {
  readonly files: Files;
  /** The name of the machine with these files. */
  readonly machine: string;
  /** The root of the project, absolute; absent if the project is on another machine than the transcripts. */
  readonly projectDir?: string;
}

/** More than the transcripts of the sessions that run at a time. */
const MAX_COPIES = 64;

/**
 * The copies that this process keeps up to date, in order of use. Sub-agents share the transcript of their parent, so
 * this is not part of a session.
 */
const copies = new Map<string, ClaudeCopy>();

/** Brings the copies that this input needs up to date. If one cannot be written, the hook gets Mux's own transcript. */
export async function projectClaudeTranscripts(
  place: TranscriptPlace,
  input: CompleteHookInput
): Promise<ClaudeTranscripts> {
  const { cwd, session_id, transcript_path, parent_session_id, parent_transcript_path } = input;
  const { projectDir } = place;
  const gitBranch =
    projectDir === undefined ? undefined : await readGitBranch(place.files, projectDir);
  if (input.hook_event_name === "Stop") {
    return { own: await update(place, transcript_path, { sessionId: session_id, cwd, gitBranch }) };
  }
  const sessionId = parent_session_id ?? session_id;
  const agentId = input.agent_id ?? session_id;
  const [own, parent] = await Promise.all([
    update(place, transcript_path, { sessionId, agentId, cwd, gitBranch }),
    parent_transcript_path === undefined
      ? undefined
      : update(place, parent_transcript_path, { sessionId, cwd, gitBranch }),
  ]);
  return { own, parent };
}

async function update(
  { files, machine }: TranscriptPlace,
  path: string,
  context: TranscriptContext
): Promise<string> {
  const copy = copyOf(machine, path);
  const updated = await copy.update(files, context);
  return updated.isOk() ? copy.target : path;
}

function copyOf(machine: string, path: string): ClaudeCopy {
  const key = `${machine} ${path}`;
  const copy = copies.get(key) ?? new ClaudeCopy(path);
  copies.delete(key);
  copies.set(key, copy);
  const [oldest] = copies.keys();
  if (copies.size > MAX_COPIES && oldest !== undefined) copies.delete(oldest);
  return copy;
}

/** Returns the branch, `HEAD` if none is checked out, or an empty text if the folder is not the root of a checkout. */
async function readGitBranch(files: Files, projectDir: string): Promise<string> {
  const git = posix.join(projectDir, ".git");
  const head = await readText(files, posix.join(git, "HEAD"));
  if (head !== undefined) return branchOf(head);
  const gitDir = parseGitFile((await readText(files, git)) ?? "", projectDir);
  if (gitDir === undefined) return "";
  return branchOf((await readText(files, posix.join(gitDir, "HEAD"))) ?? "");
}

async function readText(files: Files, path: string): Promise<string | undefined> {
  const read = await files.readFile(path, { maxBytes: 4 * KIB });
  return read.map((bytes) => new TextDecoder().decode(bytes)).unwrapOr(undefined);
}

function branchOf(head: string): string {
  const line = head.trimEnd();
  if (line === "") return "";
  return /^ref: refs\/heads\/(.+)/.exec(line)?.[1] ?? "HEAD";
}
