import { rmSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

const made: string[] = [];

afterAll(async () => {
  await Promise.all(
    made.splice(0).map((dir) => rm(dir, { recursive: true, force: true, maxRetries: 5 }))
  );
});

/**
 * Creates an empty folder, which is removed after the last test of the file, and returns its real path. May be called
 * anywhere in a test file: in a test, in `beforeEach`, in `beforeAll`.
 */
export async function tempDir(): Promise<string> {
  const dir = await realpath(await mkdtemp(join(tmpdir(), "mux-hooks-")));
  made.push(dir);
  return dir;
}

/** Creates a folder that the test files of one process share, and that is removed when the process ends. */
export async function lastingDir(): Promise<string> {
  const dir = await realpath(await mkdtemp(join(tmpdir(), "mux-hooks-")));
  process.once("exit", () => {
    rmSync(dir, { recursive: true, force: true });
  });
  return dir;
}
