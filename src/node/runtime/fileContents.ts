/**
 * Reads a file of any machine as text or JSON, and derives from its stat a stamp that differs after every write. Also
 * provides files that exist only in a record of their contents.
 */
import { posix } from "node:path";
import { err, ok } from "neverthrow";
import { parseJson } from "@/common/json";
import type { Files, FileStat, PresentStat, ReadOptions } from "@/node/runtime/HookRuntime";

/** Returns the text of a file, or undefined if it cannot be read. A longer file is cut at `maxBytes`. */
export async function readText(
  files: Pick<Files, "readFile">,
  path: string,
  options: ReadOptions
): Promise<string | undefined> {
  const read = await files.readFile(path, options);
  return read.isOk() ? new TextDecoder().decode(read.value) : undefined;
}

/** Returns the value of a JSON file, or undefined if it cannot be read or parsed. */
export async function readJson(...given: Parameters<typeof readText>): Promise<unknown> {
  return parseJson((await readText(...given)) ?? "").unwrapOr(undefined);
}

/** Returns a text that differs after every write to the file. The clock of the machine does not matter. */
export function stampOf({ identity, ctimeMs, mtimeMs, size }: PresentStat): string {
  return [identity, ctimeMs, mtimeMs, size].join(" ");
}

/** The content of a file in JSON: text, or base64 if it is not UTF-8. */
export type RecordedContent = string | { base64: string };

export function decodeContent(content: RecordedContent): Uint8Array {
  return typeof content === "string" ? Buffer.from(content) : Buffer.from(content.base64, "base64");
}

/** Returns files that exist only in a record. @param recorded their contents by their paths relative to `dir` */
export function recordedFiles(
  recorded: Readonly<Record<string, RecordedContent>>,
  dir: string
): Pick<Files, "stat" | "list" | "readFile"> {
  const files = new Map(
    Object.entries(recorded).map(([path, content]) => [
      posix.join(dir, path),
      decodeContent(content),
    ])
  );
  const paths = [...files.keys()];
  const stat = (path: string): FileStat => {
    const bytes = files.get(path);
    const isFolder = paths.some((file) => file.startsWith(`${path}/`));
    if (bytes === undefined && !isFolder) return { kind: "missing" };
    const kind = bytes === undefined ? "directory" : "file";
    const size = bytes?.length ?? 0;
    return { kind, size, mtimeMs: 0, ctimeMs: 0, identity: path, executable: false };
  };
  const missing = (path: string) =>
    err({ path, code: "ENOENT", message: `${path} does not exist` });
  return {
    stat: (wanted) => Promise.resolve(wanted.map(stat)),
    list: (path) => {
      const inside = paths.filter((file) => posix.dirname(file) === path);
      const names = inside.map((file) => posix.basename(file));
      return Promise.resolve(stat(path).kind === "missing" ? missing(path) : ok(names));
    },
    readFile: (path, { maxBytes }) => {
      const bytes = files.get(path);
      return Promise.resolve(bytes === undefined ? missing(path) : ok(bytes.subarray(0, maxBytes)));
    },
  };
}
