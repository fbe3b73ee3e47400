/** Reads the log of hooks (H47): its last lines, and new ones as they are written. */
import { open, watch } from "node:fs/promises";
import { isJsonObject, parseJson } from "@/common/json";
import { MAX_LOG_FILE_BYTES } from "@/common/limits";
import { hookLogPaths, type HookLogEntry } from "@/node/services/hooks/index";

/** A position in the current file of the log. */
interface Position {
  readonly file: number;
  readonly offset: number;
}

/** More than one batch of lines over the limit, at which the file is renamed. */
const MAX_READ_BYTES = 2 * MAX_LOG_FILE_BYTES;

export class HookLogReader {
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
  return lines.flatMap((line) => {
    const entry = parseJson(line).unwrapOr(undefined);
    return isEntry(entry) ? [entry] : [];
  });
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
