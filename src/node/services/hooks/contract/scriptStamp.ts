import { posix } from "node:path";
import type { Files, PresentStat } from "@/node/runtime/HookRuntime";

/** Returns a stamp of a file. Equal stamps mean the same file with the same content. */
export function stampOf({ identity, size, mtimeMs, ctimeMs }: PresentStat): string {
  return `${identity} ${size} ${mtimeMs} ${ctimeMs}`;
}

/** Returns the stamps of a script and its folder. Together they change whenever the file is replaced. */
export async function scriptStamp(
  files: Pick<Files, "stat">,
  path: string
): Promise<string | undefined> {
  const [file, folder] = await files.stat([path, posix.dirname(path)]);
  if (file?.kind !== "file" || folder?.kind !== "directory") return undefined;
  return `${stampOf(file)} ${stampOf(folder)}`;
}
