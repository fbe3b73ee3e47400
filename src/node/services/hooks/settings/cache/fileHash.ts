/** What a file holds, as a SHA-256 that is made anew only where the file has changed. */
import { createHash } from "node:crypto";
import { MIB } from "@/common/limits";
import type { PresentStat } from "@/node/runtime/HookRuntime";
import type { MachineView } from "@/node/services/hooks/settings/cache/machineView";

/** Of a larger file its beginning and its size count. */
const MAX_HASHED_BYTES = 16 * MIB;

/** A file that cannot be read has a hash of its own, which changes when it can. */
export async function hashFile(
  { files, memory }: MachineView,
  path: string,
  stat: PresentStat
): Promise<string> {
  const hash = await memory.hashes.get(path, stat, async () =>
    (await files.readFile(path, { maxBytes: MAX_HASHED_BYTES })).map((bytes) =>
      createHash("sha256").update(`${stat.size}\n`).update(bytes).digest("hex")
    )
  );
  return hash.match(
    (value) => value,
    ({ code }) => `unreadable: ${code}`
  );
}
