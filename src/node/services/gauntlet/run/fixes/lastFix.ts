/** The record of the last fix, for `undo-fix` (G35). Refs hold both of its trees. */
import { err, ok, type Result } from "neverthrow";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import { SNAPSHOT_REFS, type GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import { runGit } from "@/node/services/gauntlet/change/git/runGit";
import { readTurnFile, turnPath, writeTurnFile } from "@/node/services/gauntlet/turn/turnFiles";

/** A ref of a snapshot is its ID, so a name that begins with another letter than a to f is free. */
const BEFORE_REF = `${SNAPSHOT_REFS}/undo-before`;
const AFTER_REF = `${SNAPSHOT_REFS}/undo-after`;
const KEY = "last";

export interface LastFix {
  /** The tree before the first fix of the run. */
  readonly before: string;
  /** The tree that the fixes left. Absent if they were interrupted. */
  readonly after?: string;
  /** The files that the fixes changed, relative to the project. */
  readonly files: readonly string[];
}

interface Place {
  readonly runtime: HookRuntime;
  readonly context: GitContext;
}

export async function writeLastFix(
  { runtime, context }: Place,
  { before, after, files }: LastFix
): Promise<Result<void, { readonly message: string }>> {
  const { projectDir, gitDir, signal } = context;
  const commands = [
    `update ${BEFORE_REF}\0${before}\0\0`,
    after === undefined ? `delete ${AFTER_REF}\0\0` : `update ${AFTER_REF}\0${after}\0\0`,
  ];
  const args = ["update-ref", "--stdin", "-z"];
  const held = await runGit(runtime, { cwd: projectDir, args, stdin: commands.join(""), signal });
  if (held.isErr()) return err(held.error);
  return await writeTurnFile(runtime, gitDir, "fixes", KEY, { before, after, files: [...files] });
}

/** Returns undefined if there is no fix that can be undone. */
export async function readLastFix({ runtime, context }: Place): Promise<LastFix | undefined> {
  const read = await readTurnFile(runtime, context.gitDir, "fixes", KEY);
  if (read === undefined) return undefined;
  const { before, after, files } = read;
  if (!isId(before) || !Array.isArray(files)) return undefined;
  return {
    before,
    ...(isId(after) ? { after } : {}),
    files: files.filter((file) => typeof file === "string"),
  };
}

/** Removes the record, so that a fix is not undone twice. */
export async function removeLastFix({
  runtime,
  context,
}: Place): Promise<Result<void, { readonly message: string }>> {
  const { projectDir, gitDir } = context;
  const removed = await runtime.remove(turnPath(gitDir, "fixes", `${KEY}.json`));
  if (removed.isErr()) return err(removed.error);
  const stdin = [BEFORE_REF, AFTER_REF].map((ref) => `delete ${ref}\0\0`).join("");
  const args = ["update-ref", "--stdin", "-z"];
  const dropped = await runGit(runtime, { cwd: projectDir, args, stdin });
  return dropped.isErr() ? err(dropped.error) : ok(undefined);
}

function isId(value: unknown): value is string {
  return typeof value === "string" && /^[0-9a-f]{40,64}$/.test(value);
}
