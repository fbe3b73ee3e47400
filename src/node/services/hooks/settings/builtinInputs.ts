/** Inspects the part of a checkout that a built-in hook would run, in its files or in a record of them (H31). */
import { posix } from "node:path";
import { err, ok } from "neverthrow";
import type { FileStat } from "@/node/runtime/HookRuntime";
import type {
  BuiltinHooks,
  InspectCheckout,
  ReadableFiles,
} from "@/node/services/hooks/contract/builtinHooks";
import {
  decodeContent,
  encodeContent,
  type Definitions,
} from "@/node/services/hooks/settings/definitions";
import type { BuiltinInputs } from "@/node/services/hooks/contract/types";
import { fileMissing } from "@/node/services/hooks/messages/shared";

/** Parts by the name of the built-in handler; undefined for a handler that has no part in the checkout. */
export type CheckoutParts = ReadonlyMap<string, BuiltinInputs | undefined>;

type RecordedParts = Definitions["builtins"];
type RecordedFiles = RecordedParts[string]["files"];

export async function inspectParts(
  builtins: BuiltinHooks,
  look: (name: string, inspect: InspectCheckout) => ReturnType<InspectCheckout>
): Promise<CheckoutParts> {
  const parts = new Map<string, BuiltinInputs | undefined>();
  for (const [name, inspect] of builtins.inspectors) parts.set(name, await look(name, inspect));
  return parts;
}

/** Inspects the checkout as it is now, and records every file that was read for that. */
export async function readParts(
  builtins: BuiltinHooks,
  files: ReadableFiles,
  projectDir: string
): Promise<{ parts: CheckoutParts; recorded: RecordedParts }> {
  const recorded: RecordedParts = {};
  const parts = await inspectParts(builtins, async (name, inspect) => {
    const recorder = new ReadRecorder(files);
    const part = await inspect(recorder, projectDir);
    if (part !== undefined) {
      const dir = posix.relative(projectDir, part.dir);
      recorded[name] = { dir, files: recorder.below(part.dir) };
    }
    return part;
  });
  return { parts, recorded };
}

/** Remembers the content of every file that is read. */
export class ReadRecorder implements ReadableFiles {
  readonly #read = new Map<string, Uint8Array>();

  constructor(private readonly files: ReadableFiles) {}

  readonly stat: ReadableFiles["stat"] = (paths) => this.files.stat(paths);
  readonly list: ReadableFiles["list"] = (path) => this.files.list(path);

  readonly readFile: ReadableFiles["readFile"] = async (path, options) => {
    const read = await this.files.readFile(path, options);
    if (read.isOk()) this.#read.set(path, read.value);
    return read;
  };

  /** Returns the content of the files in a folder, by path relative to it. */
  below(dir: string): RecordedFiles {
    const files = [...this.#read].map(
      ([path, bytes]) => [posix.relative(dir, path), encodeContent(bytes)] as const
    );
    return Object.fromEntries(files.sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

/** Returns files that exist only in a record. */
export function recordedFiles(recorded: RecordedFiles, dir: string): ReadableFiles {
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
  const missing = (path: string) => err({ path, code: "ENOENT", message: fileMissing(path) });
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
