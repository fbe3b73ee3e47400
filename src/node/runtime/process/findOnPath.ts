import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";

/** Returns the absolute path of the first file of that name on `searchPath` that this user may execute. */
export async function findOnPath(name: string, searchPath = ""): Promise<string | undefined> {
  for (const folder of searchPath.split(delimiter).filter(isAbsolute)) {
    const file = join(folder, name);
    if (await isExecutableFile(file)) return file;
  }
  return undefined;
}

/** Returns whether `searchPath` has a file of that name, executable or not. */
export async function isFileOnPath(name: string, searchPath = ""): Promise<boolean> {
  const paths = searchPath.split(delimiter).map((folder) => join(folder, name));
  const found = await Promise.all(paths.map((path) => stat(path).catch(() => undefined)));
  return found.some((file) => file !== undefined);
}

async function isExecutableFile(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
