/** Writes the transcripts that hooks of the claude dialect read (H9, H37). */
import type { Files } from "@/node/runtime/HookRuntime";
import type { ClaudeTranscripts, CompleteHookInput } from "@/node/services/hooks/contract/input";
import { ClaudeCopy } from "@/node/services/hooks/transcript/claude/ClaudeCopy";
import { readGitBranch } from "@/node/services/hooks/transcript/claude/gitBranch";
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
  const branch = await branchOf(place);
  if (input.hook_event_name === "Stop") {
    return { own: await update(place, transcript_path, { sessionId: session_id, cwd, ...branch }) };
  }
  const sessionId = parent_session_id ?? session_id;
  const agentId = input.agent_id ?? session_id;
  const [own, parent] = await Promise.all([
    update(place, transcript_path, { sessionId, agentId, cwd, ...branch }),
    parent_transcript_path === undefined
      ? undefined
      : update(place, parent_transcript_path, { sessionId, cwd, ...branch }),
  ]);
  return { own, ...(parent === undefined ? {} : { parent }) };
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

async function branchOf({ files, projectDir }: TranscriptPlace) {
  return projectDir === undefined ? {} : { gitBranch: await readGitBranch(files, projectDir) };
}
