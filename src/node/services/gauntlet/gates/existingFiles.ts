/** Keeps the files that exist in the working tree: git may list others, as with a sparse checkout (G32). */
import { posix } from "node:path";
import { err, ok, type Result } from "neverthrow";
import { visible } from "@/common/text";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import * as messages from "@/node/services/gauntlet/messages/gates";

/**
 * Returns the files and links that exist, in order. Fails if a name is not UTF-8, because it cannot be passed to a
 * program, and must not be left out silently.
 *
 * @param files relative to the project root, of a tree that git has made of it
 */
export async function existingFiles(
  runtime: HookRuntime,
  projectDir: string,
  files: readonly string[]
): Promise<Result<string[], string>> {
  if (files.length === 0) return ok([]);
  const stats = await runtime.stat(files.map((file) => posix.join(projectDir, file)));
  const there: string[] = [];
  for (const [i, file] of files.entries()) {
    const stat = stats[i];
    if (stat?.kind === "failed") return err(messages.fileNotFound(file, stat.failure.message));
    const isMissing = stat?.kind === "missing" && stat.dangling !== true;
    if (isMissing && file.includes("\uFFFD")) return err(messages.nameNotUtf8(visible(file)));
    if (stat !== undefined && !isMissing && stat.kind !== "directory") there.push(file);
  }
  return ok(there);
}
