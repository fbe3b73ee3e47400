/** The SHA-256 of a file, computed again only if the file has changed. */
import { createHash } from "node:crypto";
import { MIB } from "@/common/limits";
import type { PresentStat } from "@/node/runtime/HookRuntime";
import type { MachineView } from "@/node/services/hooks/settings/cache/machineView";

/** Maximum number of hashed bytes. A larger file is identified by its size and its beginning. */
const MAX_HASHED_BYTES = 16 * MIB;

/** Returns the hash of a file. An unreadable file has a hash of its own, which changes once it can be read. */
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
