import { constants } from "node:fs";
import { link, mkdir, open, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Result } from "neverthrow";
import { errorCode } from "@/common/errors";
import { uniqueName } from "@/common/uniqueName";
import { attempt, LocalReads, statOne, withRegularFile } from "@/node/runtime/local/LocalReads";
import type { FileFailure, Files, WriteOptions } from "@/node/runtime/HookRuntime";

/** The files of the machine that this program runs on. */
export class LocalFiles extends LocalReads implements Files {
  writeFile(
    path: string,
    data: string | Uint8Array,
    options?: WriteOptions
  ): Promise<Result<void, FileFailure>> {
    return attempt(path, async () => {
      const mode = options?.mode ?? PRIVATE;
      await createFolder(path, mode);
      // Loaded on first use: many commands write no file.
      const { default: writeFileAtomic } = await import("write-file-atomic");
      const isNew = (await statOne(path)).kind === "missing";
      if (isNew && (mode & OTHERS) !== 0) {
        await put(path, data, mode, rename);
        return;
      }
      await writeFileAtomic(path, "", {
        // The library treats a write cut short by a full disk as complete. Node's `writeFile` throws.
        // oxlint-disable-next-line typescript/no-misused-promises -- it does await the answer
        tmpfileCreated: (temporary) => writeFile(temporary, data),
        fsync: options?.isDisposable !== true,
        ...(isNew ? { mode } : {}),
      });
    });
  }

  createFile(
    path: string,
    data: string | Uint8Array,
    options?: WriteOptions
  ): Promise<Result<void, FileFailure>> {
    // Unlike a rename, a link never replaces an existing file.
    return attempt(path, () => put(path, data, options?.mode ?? PRIVATE, link));
  }

  appendFile(
    path: string,
    data: string | Uint8Array,
    options?: WriteOptions
  ): Promise<Result<void, FileFailure>> {
    return attempt(path, () => {
      const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT;
      const mode = options?.mode ?? PRIVATE;
      return inFolder(path, mode, () =>
        withRegularFile(path, flags, mode, (file) => file.writeFile(data))
      );
    });
  }

  rename(from: string, to: string): Promise<Result<void, FileFailure>> {
    return attempt(from, () => inFolder(to, PRIVATE, () => rename(from, to)));
  }

  remove(path: string): Promise<Result<void, FileFailure>> {
    return attempt(path, () => rm(path, { recursive: true, force: true }));
  }
}

/** The mode of new files, which may contain parts of a session's conversation. */
const PRIVATE = 0o600;
const OWNER = 0o700;
const OTHERS = 0o077;

/** Writes the data to a temporary file, and puts that in its place. */
async function put(
  path: string,
  data: string | Uint8Array,
  mode: number,
  place: (temporary: string, path: string) => Promise<void>
): Promise<void> {
  const temporary = `${path}.${uniqueName().slice(0, 16)}`;
  try {
    await inFolder(temporary, mode, () => writeNew(temporary, data, mode));
    await place(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Creates the folder only if `act` failed without it, because it nearly always exists. */
async function inFolder(path: string, mode: number, act: () => Promise<void>): Promise<void> {
  await act().catch(async (thrown: unknown) => {
    if (errorCode(thrown) !== "ENOENT") throw thrown;
    await createFolder(path, mode);
    await act();
  });
}

/** Creates the folder of the file. The folder of a private file is never writable for all users, regardless of the umask. */
async function createFolder(path: string, mode: number): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: (mode & OTHERS) === 0 ? 0o775 : 0o777 });
}

async function writeNew(path: string, data: string | Uint8Array, mode: number): Promise<void> {
  const file = await open(path, "wx", mode);
  try {
    // The umask decides what others may do, but not what the owner may.
    const allowed = (mode & OTHERS) === 0 ? 0 : (await file.stat()).mode;
    await file.chmod((allowed & OTHERS) | (mode & OWNER));
    await file.writeFile(data);
    await file.sync();
  } finally {
    await file.close();
  }
}
