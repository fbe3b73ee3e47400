import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Runs `work` with a new folder and removes the folder afterwards. */
export async function withTempDir<T>(work: (dir: string) => Promise<T>): Promise<T> {
  const dir = await realpath(await mkdtemp(join(tmpdir(), "mux-hooks-")));
  try {
    return await work(dir);
  } finally {
    // A hook that was just killed may still have been writing.
    await rm(dir, { recursive: true, force: true, maxRetries: 5 });
  }
}
