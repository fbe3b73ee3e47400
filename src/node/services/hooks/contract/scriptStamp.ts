import { posix } from "node:path";
import type { Files, PresentStat } from "@/node/runtime/HookRuntime";

/** Returns a stamp. Equal stamps mean the same file with the same content. */
export function stampOf({ identity, size, mtimeMs, ctimeMs }: PresentStat): string {
  return `${identity} ${size} ${mtimeMs} ${ctimeMs}`;
}

/** Returns the stamps of a script and of its folder, which together change with every exchange of the file. */
export async function scriptStamp(
  files: Pick<Files, "stat">,
  path: string
): Promise<string | undefined> {
  const [file, folder] = await files.stat([path, posix.dirname(path)]);
  if (file?.kind !== "file" || folder?.kind !== "directory") return undefined;
  return `${stampOf(file)} ${stampOf(folder)}`;
}
