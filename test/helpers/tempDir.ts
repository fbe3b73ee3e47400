import { chmod, mkdir, mkdtemp, realpath, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** Creates an empty folder and returns its real path. All of them are removed at the end of the run (`tempRoot.ts`). */
export async function tempDir(): Promise<string> {
  return await realpath(await mkdtemp(join(tmpdir(), "mux-hooks-")));
}

/** Creates a folder with these files, by their paths. */
export async function folderWith(
  files: Readonly<Record<string, string | Uint8Array>>,
  mode = 0o644
): Promise<string> {
  const folder = await tempDir();
  for (const [name, content] of Object.entries(files)) {
    await putFile(join(folder, name), content, mode);
  }
  return folder;
}

/** Writes a file, and creates its folder. Returns its path. */
export async function putFile(path: string, content: string | Uint8Array, mode?: number) {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
  if (mode !== undefined) await chmod(path, mode);
  return path;
}
