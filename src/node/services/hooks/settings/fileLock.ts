/** The lock of a file that several processes may change: a second file beside it, which exists during a change. */
import { setTimeout as delay } from "node:timers/promises";
import { err, ok, type Result } from "neverthrow";
import { uniqueName } from "@/common/uniqueName";
import type { Files } from "@/node/runtime/HookRuntime";
import { notWritten } from "@/node/services/hooks/messages/shared";

const WAIT_MS = 10_000;
const POLL_MS = 20;
/** Maximum age of a lock. A change takes milliseconds, so the process that made an older lock no longer exists. */
const MAX_AGE_MS = 5_000;

/** Runs a change of the file while no other process changes it. Reads in `change` see the result of the one before. */
export async function withFileLock<T>(
  files: Files,
  path: string,
  change: () => Promise<Result<T, string>>
): Promise<Result<T, string>> {
  const lock = await takeLock(files, path);
  if (lock.isErr()) return err(lock.error);
  try {
    return await change();
  } finally {
    await files.remove(lock.value);
  }
}

async function takeLock(files: Files, path: string): Promise<Result<string, string>> {
  const lock = `${path}.lock`;
  const deadline = performance.now() + WAIT_MS;
  for (;;) {
    const taken = await files.createFile(lock, "");
    if (taken.isOk()) return ok(lock);
    if (taken.error.code !== "EEXIST") return err(notWritten(path, taken.error.message));
    if (performance.now() > deadline)
      return err(`${path} is locked by another process; if there is none, remove ${lock}`);
    if (await isAbandoned(files, lock)) {
      // Only one of several processes can rename it.
      const aside = `${lock}.${uniqueName()}`;
      if ((await files.rename(lock, aside)).isOk()) await files.remove(aside);
    } else {
      await delay(POLL_MS);
    }
  }
}

async function isAbandoned(files: Files, lock: string): Promise<boolean> {
  const [stat] = await files.stat([lock]);
  return stat?.kind === "file" && Date.now() - stat.mtimeMs > MAX_AGE_MS;
}
