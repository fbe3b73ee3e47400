/**
 * `mux-stop-hooks hooks log`: shows how the hooks of this project ended at past stops, or follows new ones, as text or
 * JSON. Reads the log in the user's folder, which has the stops of all projects and consists of a current and a rotated
 * file.
 */
import { EXIT, printError, withInterrupt, type CliContext, type ExitCode } from "@/cli/context";
import { ENDS, exited, NO_USER_ROOT } from "@/cli/messages/shared";
import { realPath } from "@/cli/findOwnCommand";
import { oneLine } from "@/cli/render/formatText";
import { styleFor, type Paint, type Style } from "@/cli/render/style";
import { withWorkspace, type WorkspaceOption } from "@/cli/workspace";
import { describeError } from "@/common/errors";
import { formatDuration } from "@/common/formatDuration";
import { shownCommand } from "@/common/ownCommandName";
import { findUserRoot, type HookLogEntry, hookLogPaths } from "@/node/services/hooks/index";
import { open, watch } from "node:fs/promises";
import { isJsonObject, parseObject } from "@/common/json";
import { MAX_LOG_FILE_BYTES } from "@/common/limits";

interface LogOptions extends WorkspaceOption {
  readonly follow?: boolean;
  readonly json?: boolean;
  readonly lines?: number;
}

const DEFAULT_LINES = 50;

export async function log(options: LogOptions, context: CliContext): Promise<ExitCode> {
  return await withWorkspace(options, context, async ({ runtime, projectDir }) => {
    const { json = false, lines = DEFAULT_LINES } = options;
    const { stdout, env } = context;
    const root = await findUserRoot(runtime.host, context);
    if (root === undefined) return printError(context, NO_USER_ROOT);
    const reader = new HookLogReader(root);
    const isWanted = belongsTo(projectDir);
    const style = styleFor(stdout, env);
    const print = (entry: HookLogEntry): void => {
      stdout.write(json ? `${JSON.stringify(entry)}\n` : renderLogLine(entry, style));
    };
    const printLast = async (): Promise<boolean> => {
      const entries = (await reader.readAll()).filter(isWanted);
      for (const entry of lines === 0 ? [] : entries.slice(-lines)) print(entry);
      return entries.length > 0;
    };
    if (options.follow !== true) {
      if (!(await printLast()) && !json) {
        stdout.write(
          `No stop of ${projectDir} is in ${reader.path} yet. Hooks of sessions are logged, those of "${shownCommand()} hooks test" are not.\n`
        );
      }
      return EXIT.ok;
    }
    return await withInterrupt(context, async (signal) => {
      try {
        for await (const entry of reader.follow(signal, printLast)) {
          if (stdout.destroyed === true) return EXIT.ok;
          if (isWanted(entry)) print(entry);
        }
        return EXIT.interrupted;
      } catch (thrown) {
        return printError(
          context,
          `the folder ${root} cannot be watched: ${describeError(thrown)}; run "${shownCommand()} hooks log" without --follow`
        );
      }
    });
  });
}

/** Returns a filter for the entries of a checkout, and of the linked worktrees if it is their main one. */
function belongsTo(projectDir: string): (entry: HookLogEntry) => boolean {
  const known = new Map<string, boolean>();
  const isHere = (name: string): boolean => {
    const found = known.get(name) ?? (name === projectDir || realPath(name) === projectDir);
    known.set(name, found);
    return found;
  };
  return ({ workspace, project }) => isHere(workspace) || isHere(project);
}

const OUTCOME_COLUMNS = 10;
const DURATION_COLUMNS = 7;

function renderLogLine(entry: HookLogEntry, style: Style): string {
  const { session, outcome, ms, exit, hook, title, reason } = entry;
  const cells = [
    style.dim(localTime(entry.time)),
    style.dim(oneLine(session)),
    paintOf(outcome, style)(oneLine(outcome).padEnd(OUTCOME_COLUMNS)),
    formatDuration(ms).padStart(DURATION_COLUMNS),
    ...(exit === undefined ? [] : [describeExit(exit)]),
    style.bold(oneLine(hook)),
    oneLine(title),
  ];
  return `${cells.join("  ")}${reason === undefined ? "" : `: ${oneLine(reason)}`}\n`;
}

function describeExit(exit: number | string): string {
  if (typeof exit === "number") return exited(exit);
  return Object.hasOwn(ENDS, exit) ? ENDS[exit as keyof typeof ENDS] : oneLine(exit);
}

function paintOf(outcome: string, style: Style): Paint {
  if (outcome === "pass") return style.green;
  if (outcome === "failed") return style.red;
  return outcome === "block" || outcome === "feedback" ? style.yellow : (text) => text;
}

/** Returns a time of this machine's zone, such as `2026-11-22 18:22:03`. */
function localTime(time: string): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return oneLine(time);
  const shifted = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 19).replace("T", " ");
}

/** A position in the current file of the log. */
interface Position {
  readonly file: number;
  readonly offset: number;
}

/** The maximum size of a read. A file is renamed at its limit, which its last batch of lines may exceed. */
const MAX_READ_BYTES = 2 * MAX_LOG_FILE_BYTES;

/** Reads the log of hooks, which consists of the current file and a rotated one. */
class HookLogReader {
  readonly #rotated: string;
  readonly path: string;
  #position: Position | undefined;

  constructor(private readonly root: string) {
    [this.#rotated, this.path] = hookLogPaths(root);
  }

  /** Returns all entries, the oldest first. */
  async readAll(): Promise<HookLogEntry[]> {
    const older = await readFrom(this.#rotated, 0);
    return [...parseEntries(older?.text.split("\n") ?? []), ...(await this.readNew())];
  }

  /** Returns the entries that were written since the last call. */
  async readNew(): Promise<HookLogEntry[]> {
    const before = this.#position;
    const texts: string[] = [];
    let read = await readFrom(this.path, before?.offset ?? 0);
    if (before !== undefined && read?.file !== before.file) {
      // The file was renamed, maybe after more lines had been written to it.
      const last = await readFrom(this.#rotated, before.offset);
      if (last?.file === before.file) texts.push(last.text);
      read = await readFrom(this.path, 0);
    }
    if (read !== undefined) texts.push(read.text);
    this.#position = read && { file: read.file, offset: read.offset };
    return parseEntries(texts.join("").split("\n"));
  }

  /**
   * Yields new entries until the signal is aborted, after `readAll`. Rejects if the folder cannot be watched.
   *
   * @param onWatching called once no further entry can be missed
   */
  async *follow(
    signal: AbortSignal,
    onWatching: () => Promise<unknown>
  ): AsyncGenerator<HookLogEntry> {
    const changes = watch(this.root, { signal })[Symbol.asyncIterator]();
    // The first call starts to watch.
    let change = changes.next();
    change.catch(() => undefined);
    await onWatching();
    try {
      for (;;) {
        yield* await this.readNew();
        if ((await change).done === true) return;
        change = changes.next();
        change.catch(() => undefined);
      }
    } catch (thrown) {
      if (!signal.aborted) throw thrown;
    }
  }
}

/** Reads a file from an offset to its end. Returns undefined if it cannot be read. */
async function readFrom(
  path: string,
  from: number
): Promise<(Position & { readonly text: string }) | undefined> {
  try {
    const handle = await open(path, "r");
    try {
      const { ino, size } = await handle.stat();
      const length = Math.min(Math.max(size - from, 0), MAX_READ_BYTES);
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(length), 0, length, from);
      // A line that is being written may end within a character.
      const end = buffer.subarray(0, bytesRead).lastIndexOf("\n") + 1;
      return { file: ino, offset: from + end, text: buffer.toString("utf8", 0, end) };
    } finally {
      await handle.close();
    }
  } catch {
    return undefined;
  }
}

function parseEntries(lines: readonly string[]): HookLogEntry[] {
  return lines.map((line): unknown => parseObject(line)).filter(isEntry);
}

const TEXTS = ["time", "workspace", "project", "session", "event", "hook", "title", "outcome"];

function isEntry(value: unknown): value is HookLogEntry {
  return (
    isJsonObject(value) &&
    TEXTS.every((key) => typeof value[key] === "string") &&
    typeof value.ms === "number" &&
    ["number", "string", "undefined"].includes(typeof value.exit) &&
    ["string", "undefined"].includes(typeof value.reason)
  );
}
