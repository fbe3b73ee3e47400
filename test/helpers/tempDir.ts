import { mkdtemp, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Creates an empty folder and returns its real path. All of them are removed at the end of the run (`tempRoot.ts`). */
export async function tempDir(): Promise<string> {
  return await realpath(await mkdtemp(join(tmpdir(), "mux-hooks-")));
}
