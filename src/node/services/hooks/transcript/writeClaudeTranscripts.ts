/**
 * Writes the transcripts in Claude Code's format that hooks of the claude dialect read, beside those of Mux, and
 * appends what is new at each stop (H9, H37). If one cannot be written, the hooks get Mux's own transcript.
 */
import { basename, dirname, join, posix } from "node:path";
import { parseGitFile } from "@/common/linkedWorktree";
import { KIB, MIB } from "@/common/limits";
import type { FileFailure, Files } from "@/node/runtime/HookRuntime";
import { readText } from "@/node/runtime/fileContents";
import type * as inputs from "@/node/services/hooks/contract/makeInput";
import {
  MuxRowConverter,
  type TranscriptContext,
} from "@/node/services/hooks/transcript/claude/MuxRowConverter";
import { randomBytes } from "node:crypto";
import { err, ok, type Result } from "neverthrow";
import * as readNewLines from "@/node/services/hooks/transcript/readNewLines";
import { parseRow } from "@/node/services/hooks/transcript/chatRows";

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
  input: inputs.CompleteHookInput
): Promise<inputs.ClaudeTranscripts> {
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
  const key = `${machine} ${path}`;
  const copy = copies.get(key) ?? new ClaudeCopy(path);
  copies.delete(key);
  copies.set(key, copy);
  const [oldest] = copies.keys();
  if (copies.size > MAX_COPIES && oldest !== undefined) copies.delete(oldest);
  const updated = await copy.update(files, context);
  return updated.isOk() ? copy.target : path;
}

/** Returns the branch, `HEAD` if none is checked out, or an empty text if the folder is not the root of a checkout. */
async function readGitBranch(files: Files, projectDir: string): Promise<string> {
  const git = posix.join(projectDir, ".git");
  const limit = { maxBytes: 4 * KIB };
  let head = await readText(files, posix.join(git, "HEAD"), limit);
  if (head === undefined) {
    const gitDir = parseGitFile((await readText(files, git, limit)) ?? "", projectDir);
    head = gitDir && (await readText(files, posix.join(gitDir, "HEAD"), limit));
  }
  const line = head?.trimEnd() ?? "";
  return line && (/^ref: refs\/heads\/(.+)/.exec(line)?.[1] ?? "HEAD");
}

/** The lines that were read and the rows to write are flushed when they have about this size together. */
const WRITE_CHARS = MIB;
const LINE_FEED = 10;

/** The part of the history that was read, and the copy that was written from it. */
interface Progress {
  readonly read: readNewLines.KnownPrefix;
  /** Whether the last line that was read had no line feed yet. */
  isOpen: boolean;
  /** Whether the end of what was read is within a line that is too long. */
  isWithinLong: boolean;
  readonly projection: MuxRowConverter;
  /** Whose transcript it is. */
  readonly owner: string;
  source: string;
  copy: string;
  copyBytes: number;
}

/** The transcript in Claude Code's format beside one in Mux's format. */
class ClaudeCopy {
  /** Absent if the content of the copy is unknown. */
  #progress: Progress | undefined;
  /** The latest update. Sessions with the same parent update its copy one after the other. */
  #updating: Promise<unknown> = Promise.resolve();
  readonly target: string;

  /** @param path the transcript in Mux's format, absolute */
  constructor(readonly path: string) {
    this.target = join(dirname(path), `${basename(path, ".jsonl")}.claude.jsonl`);
  }

  /** Adds the new rows of the transcript. Never rejects. */
  async update(files: Files, context: TranscriptContext): Promise<Result<void, FileFailure>> {
    const updated = this.#updating.then(() => this.#update(files, context));
    this.#updating = updated.catch(() => undefined);
    return await updated;
  }

  async #update(files: Files, context: TranscriptContext): Promise<Result<void, FileFailure>> {
    const history = await readNewLines.openHistory(files, this.path);
    if (history.isErr()) return err(history.error);
    const before = this.#progress;
    // The content of the copy is unknown until everything is written.
    this.#progress = undefined;
    const known =
      before !== undefined && (await this.#continues(files, before, history.value, context));
    const done = known
      ? await this.#write(files, this.target, history.value, before, context)
      : await this.#replace(files, history.value, context);
    if (done.isErr()) return err(done.error);
    const [copy] = await files.stat([this.target]);
    if (copy?.kind === "file") {
      const { identity, size: copyBytes } = copy;
      this.#progress = { ...done.value, source: history.value.identity, copy: identity, copyBytes };
    }
    return ok(undefined);
  }

  /** Returns whether the history begins with what was read, and the copy is as it was written. */
  async #continues(
    files: Files,
    before: Progress,
    history: readNewLines.History,
    context: TranscriptContext
  ): Promise<boolean> {
    const { read, isOpen } = before;
    if (before.owner !== ownerOf(context) || history.size < read.bytes) return false;
    const [copy] = await files.stat([this.target]);
    if (copy?.kind !== "file" || copy.identity !== before.copy || copy.size !== before.copyBytes) {
      return false;
    }
    if (!(await read.isBeginningOf(history.read, history.identity === before.source))) return false;
    if (!isOpen || history.size === read.bytes) return true;
    const next = await history.read(read.bytes, 1);
    return next.isOk() && next.value[0] === LINE_FEED;
  }

  /** Writes the copy anew. Until it is complete the old one stays in place. */
  async #replace(
    files: Files,
    history: readNewLines.History,
    context: TranscriptContext
  ): Promise<Result<Progress, FileFailure>> {
    const temporary = `${this.target}.${randomBytes(6).toString("hex")}`;
    const nothing = {
      ...{ read: new readNewLines.KnownPrefix(), isOpen: false, isWithinLong: false },
      ...{ projection: new MuxRowConverter(), owner: ownerOf(context) },
      ...{ source: "", copy: "", copyBytes: 0 },
    };
    const written = await this.#write(files, temporary, history, nothing, context);
    const moved = written.isErr() ? written : await files.rename(temporary, this.target);
    if (moved.isOk()) return written;
    await files.remove(temporary);
    return err(moved.error);
  }

  /** Appends the rows of everything that was not read yet. */
  async #write(
    files: Files,
    target: string,
    history: readNewLines.History,
    progress: Progress,
    context: TranscriptContext
  ): Promise<Result<Progress, FileFailure>> {
    const { read, projection } = progress;
    let lines: Buffer[] = [];
    let rows: string[] = [];
    let chars = 0;
    const flush = async () => {
      const text = rows.join("");
      read.add(Buffer.concat(lines));
      [lines, rows, chars] = [[], [], 0];
      return await files.appendFile(target, text);
    };
    for await (const line of readNewLines.readLines(history, read.bytes, progress.isWithinLong)) {
      if (line.isErr()) return err(line.error);
      const { bytes, isTooLong } = line.value;
      const row = isTooLong ? undefined : parseRow(bytes.toString("utf8"));
      const isEnded = bytes.at(-1) === LINE_FEED;
      // The host is still writing this line. A line that is complete but for its line feed counts.
      if (!isEnded && row === undefined && !isTooLong) break;
      lines.push(bytes);
      chars += bytes.length;
      progress.isOpen = !isEnded && !isTooLong;
      progress.isWithinLong = !isEnded && isTooLong;
      for (const text of row === undefined ? [] : projection.add(row, context)) {
        rows.push(text);
        chars += text.length;
      }
      if (chars < WRITE_CHARS) continue;
      const flushed = await flush();
      if (flushed.isErr()) return err(flushed.error);
    }
    // Without new rows this creates a copy that does not exist yet.
    const flushed = await flush();
    return flushed.map(() => progress);
  }
}

function ownerOf({ sessionId, agentId = "" }: TranscriptContext): string {
  return JSON.stringify([sessionId, agentId]);
}
