/**
 * File operations on another machine by shell scripts, and this session's private scratch folder there. Also removes
 * the scratch folders that earlier sessions left (H34).
 */
import { tryOr } from "@/common/errors";
import { isUtf8 } from "node:buffer";
import { posix } from "node:path";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { err, type Result } from "neverthrow";
import { KIB } from "@/common/limits";
import { randomHex } from "@/common/randomName";
import type {
  FileFailure,
  Files,
  FileStat,
  ReadOptions,
  WriteOptions,
} from "@/node/runtime/HookRuntime";
import { readProcess, sendSignal } from "@/node/runtime/process/ProcessTree";
import type { RemoteShell } from "@/node/runtime/remote/RemoteShell";
import {
  failureOfCode,
  failureOfConnection,
  type FailurePlace,
} from "@/node/runtime/remote/fileFailures";
import { BatchQueue } from "@/node/runtime/remote/files/BatchQueue";
import { resultOf, step } from "@/node/runtime/remote/files/fileProtocol";

type RemoteResult<T> = Promise<Result<T, FileFailure>>;

/**
 * The files of another machine. Requests made in one turn of the event loop share one connection. Concurrent
 * requests are done in no guaranteed order.
 */
export class RemoteFiles implements Files {
  readonly #queue: BatchQueue;
  #scratch: RemoteResult<string> | undefined;

  constructor(protected readonly shell: RemoteShell) {
    this.#queue = new BatchQueue(shell);
  }

  stat(paths: readonly string[]): Promise<FileStat[]> {
    return Promise.all(
      paths.map(async (path) => {
        const failure = this.#refusal({ path, label: this.shell.label });
        return failure === undefined ? await this.#queue.look(path) : { kind: "failed", failure };
      })
    );
  }

  async readFile(
    path: string,
    { maxBytes, tail = false, offset = 0 }: ReadOptions
  ): RemoteResult<Uint8Array> {
    const wanted = Math.min(Math.max(0, Math.floor(maxBytes)), Number.MAX_SAFE_INTEGER);
    // Not every `head` accepts a count of 0.
    const count = String(Math.max(1, wanted));
    const range = tail ? ["tail", "0"] : ["head", String(offset)];
    const script = step("read_file", path, count, ...range);
    const read = await this.#ask({ path }, { script, answerBytes: wanted });
    return read.map((bytes) => bytes.subarray(0, wanted));
  }

  writeFile(path: string, data: string | Uint8Array, options?: WriteOptions): RemoteResult<void> {
    return this.#write("write_file", path, data, options);
  }

  createFile(path: string, data: string | Uint8Array, options?: WriteOptions): RemoteResult<void> {
    return this.#write("create_file", path, data, options);
  }

  appendFile(path: string, data: string | Uint8Array, options?: WriteOptions): RemoteResult<void> {
    return this.#write("append_file", path, data, options);
  }

  async list(path: string): RemoteResult<string[]> {
    const listed = await this.#ask({ path }, { script: step("list_folder", path) });
    return listed.map((bytes) =>
      bytes
        .toString()
        .split("\0")
        .map((name) => name.slice(name.lastIndexOf("/") + 1))
        .filter((name) => !["", ".", ".."].includes(name))
    );
  }

  rename(from: string, to: string): RemoteResult<void> {
    return this.#change({ path: from, to }, { script: step("rename_file", from, to) });
  }

  remove(path: string): RemoteResult<void> {
    return this.#change({ path }, { script: step("remove_file", path) });
  }

  /** Returns a private folder on the other machine. Every call returns the same folder. */
  async scratchDir(): RemoteResult<string> {
    this.#scratch ??= this.#makeScratch();
    const made = await this.#scratch;
    if (made.isErr()) this.#scratch = undefined; // The next call may succeed.
    return made;
  }

  /** Removes the scratch folder if there is one and the machine can still be reached. */
  async dispose(): Promise<void> {
    const made = await this.#scratch;
    this.#scratch = undefined;
    if (made?.isOk() === true) await this.remove(made.value);
  }

  async #makeScratch(): RemoteResult<string> {
    const name = newScratchName();
    const place = { path: `~/.cache/mux-stop-hooks/${name}`, label: this.shell.label };
    // Also lists the folders beside it, and removes those that nothing was written to for a week.
    const made = await this.#send(place, { script: step("make_scratch", name) });
    return made.map((bytes) => {
      // Names beside the new folder, an empty line, its path.
      const answer = bytes.toString();
      const end = answer.startsWith("\n") ? 0 : answer.indexOf("\n\n") + 1;
      const folder = answer.slice(end + 1);
      // The folders of this machine's sessions that were killed, or whose connection was lost.
      const own = machine();
      for (const old of answer.slice(0, end).split("\n")) {
        if (!isAbandoned(old, own)) continue;
        void this.remove(posix.join(posix.dirname(folder), old));
      }
      return folder;
    });
  }

  #write(
    how: "write_file" | "create_file" | "append_file",
    path: string,
    data: string | Uint8Array,
    { mode = PRIVATE }: WriteOptions = {}
  ): RemoteResult<void> {
    const bytes = Buffer.from(data);
    const isText = bytes.length <= TEXT_BYTES && isUtf8(bytes) && !bytes.includes(0);
    const temporary = `.mux-hooks.${randomHex(8)}`;
    const source = isText ? ["text", bytes.toString()] : ["stdin"];
    const octal = (mode & 0o7777).toString(8);
    const script = step(how, path, temporary, octal, String(bytes.length), ...source);
    return this.#change({ path }, { script, stdin: isText ? undefined : bytes });
  }

  async #change(where: Omit<FailurePlace, "label">, request: ReadRequest): RemoteResult<void> {
    return (await this.#ask(where, request)).map(() => undefined);
  }

  async #ask(where: Omit<FailurePlace, "label">, request: ReadRequest): RemoteResult<Buffer> {
    const place = { ...where, label: this.shell.label };
    const refused = this.#refusal(place);
    return refused === undefined ? await this.#send(place, request) : err(refused);
  }

  #send(
    place: FailurePlace,
    { script, answerBytes = 0, stdin }: ReadRequest
  ): RemoteResult<Buffer> {
    return new Promise((resolve) => {
      this.#queue.add({
        script,
        answerBytes,
        stdin,
        read: (answers) => {
          const answer = answers.next();
          if (answer !== undefined) resolve(resultOf(answer, place));
          return answer !== undefined;
        },
        lose: (loss) => {
          resolve(err(failureOfConnection(place, loss)));
        },
      });
    });
  }

  /** Returns a failure for a path that no machine accepts, or that must not be put into a script. */
  #refusal(place: FailurePlace): FileFailure | undefined {
    for (const path of place.to === undefined ? [place.path] : [place.path, place.to]) {
      if (!path.startsWith("/") || path.includes("\0")) {
        return {
          path: place.path,
          code: "ERR_INVALID_ARG_VALUE",
          message: `${JSON.stringify(path)} is not an absolute path`,
        };
      }
      const isLong = path.split("/").some((name) => Buffer.byteLength(name) > MAX_NAME_BYTES);
      if (isLong || Buffer.byteLength(path) > MAX_PATH_BYTES)
        return failureOfCode(place, "ENAMETOOLONG");
    }
    return undefined;
  }
}

interface ReadRequest {
  readonly script: string;
  readonly stdin?: Uint8Array;
  readonly answerBytes?: number;
}

/** The mode of new files, which may contain parts of a session's conversation. */
const PRIVATE = 0o600;
/** Longer data, and data that is not text, is sent by standard input. */
const TEXT_BYTES = 32 * KIB;
/** The limits of all common systems; a shell would treat a path beyond them as missing. */
const MAX_NAME_BYTES = 255;
const MAX_PATH_BYTES = 4095;

/** Names of scratch folders on a remote machine. They show the next session whether their owner still runs (H34). */
const NAME = /^session-([0-9a-f]{8})-([0-9a-f]{8})-(\d+)-(\d+)-[0-9a-f]{16}$/;
const UNKNOWN_START = "0";

/**
 * Returns a name of this machine, its boot and the owning process: `session-<machine>-<boot>-<pid>-<start>-<random>`.
 */
export function newScratchName(pid = process.pid): string {
  const start = readProcess(pid)?.startTime ?? UNKNOWN_START;
  return ["session", machine(), boot(), pid, start, randomHex(8)].join("-");
}

/** Returns whether the owner was a process of this machine and has ended. Owners on other machines are not checked. */
function isAbandoned(name: string, own: string): boolean {
  const [, owner, ownersBoot, pid, start] = NAME.exec(name) ?? [];
  if (owner !== own) return false;
  if (ownersBoot !== boot()) return machineId() !== "";
  if (!sendSignal(Number(pid), 0)) return true;
  const found = readProcess(Number(pid));
  return found !== undefined && start !== UNKNOWN_START && found.startTime !== start;
}

/** Returns an ID of what gives processes their numbers: containers of one name and boot have different ones. */
function machine(): string {
  const namespace = tryOr(() => readlinkSync("/proc/self/ns/pid"), "");
  return shortHash(`${hostname()} ${machineId()} ${namespace}`);
}

/** Returns an empty text if the system has no such ID: then another machine may have the same name. */
function machineId(): string {
  return tryOr(() => readFileSync("/etc/machine-id", "latin1"), "").trim();
}

/** Returns an ID of the current boot. Without /proc every boot has the same one. */
function boot(): string {
  return shortHash(tryOr(() => readFileSync("/proc/sys/kernel/random/boot_id", "latin1"), ""));
}

function shortHash(text: string): string {
  const { createHash } = process.getBuiltinModule("node:crypto");
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
}
