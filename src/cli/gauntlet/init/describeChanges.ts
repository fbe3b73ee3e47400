/** Describes the changes that `init` would make to files, as the lines of a diff. */
import { posix } from "node:path";
import type { NewFile } from "@/cli/gauntlet/init/configText";
import type { InitPlace } from "@/cli/gauntlet/init/targetProject";
import { readSettingsText, type SettingsEdit } from "@/cli/settingsFile";
import { unifiedDiff } from "@/cli/render/unifiedDiff";

/** Returns the lines of a `diff -u` for every file that the configuration and the hooks would create or change. */
export async function describeChanges(
  { runtime, projectDir }: InitPlace,
  files: readonly NewFile[],
  edits: readonly SettingsEdit[]
): Promise<string[]> {
  const after = new Map<string, string>();
  const before = new Map<string, string>();
  for (const { path, text } of files) {
    const full = posix.join(projectDir, path);
    const [stat] = await runtime.stat([full]);
    if (stat?.kind === "missing") after.set(full, text);
  }
  for (const { path, edit } of edits) {
    if (!before.has(path)) {
      before.set(path, (await readSettingsText(runtime, path)).unwrapOr(undefined) ?? "");
    }
    const source = after.get(path) ?? before.get(path) ?? "";
    after.set(path, edit(path, source).unwrapOr(source));
  }
  return [...after].flatMap(([path, text]) => {
    const lines = unifiedDiff(before.get(path) ?? "", text);
    if (lines.length === 0) return [];
    const name = posix.relative(projectDir, path);
    return [`+++ ${name.startsWith("../") ? path : name}`, ...lines];
  });
}
