/** Runs a script hook, and uses the result only if the frozen bytes of the script ran (H31). */
import { scriptStamp } from "@/node/services/hooks/contract/scriptStamp";
import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { posix } from "node:path";
import { ok } from "neverthrow";
import type { ExecResult, HookRuntime } from "@/node/runtime/HookRuntime";
import type { ScriptFile } from "@/node/services/hooks/contract/types";
import { SCRIPT_CHANGED_IN_RUN, scriptCopyFailed } from "@/node/services/hooks/messages/execution";

/** A function that starts the program at `path` with additional environment variables. */
type StartScript = (path: string, env: Readonly<Record<string, string>>) => Promise<ExecResult>;

interface ScriptRun {
  readonly result: ExecResult;
  /** For the user. */
  readonly warnings: readonly string[];
}

/**
 * Runs the file itself if it holds the frozen bytes, otherwise a private copy of them. If the file changed during the
 * run, discards the result and runs a copy.
 */
export async function runScript(
  runtime: HookRuntime,
  path: string,
  { bytes, seen }: ScriptFile,
  start: StartScript
): Promise<ScriptRun> {
  if (seen === undefined)
    return { result: await runCopy(runtime, path, bytes, start), warnings: [] };
  const result = await start(path, {});
  const { kind } = result.end;
  if (kind === "cancelled" || kind === "lost") return { result, warnings: [] };
  if ((await scriptStamp(runtime, path)) === seen) return { result, warnings: [] };
  return { result: await runCopy(runtime, path, bytes, start), warnings: [SCRIPT_CHANGED_IN_RUN] };
}

async function runCopy(
  runtime: HookRuntime,
  path: string,
  bytes: Uint8Array,
  start: StartScript
): Promise<ExecResult> {
  const folder = runtime.isRemote ? await runtime.scratchDir() : ok(tmpdir());
  if (folder.isErr()) return notStarted(folder.error.message);
  const dir = posix.join(folder.value, `mux-hook-${randomBytes(12).toString("hex")}`);
  const copy = posix.join(dir, posix.basename(path));
  try {
    const written = await runtime.createFile(copy, bytes, { mode: 0o700 });
    if (written.isErr()) return notStarted(written.error.message);
    return await start(copy, { MUX_HOOK_PATH: path });
  } finally {
    await runtime.remove(dir);
  }
}

function notStarted(why: string): ExecResult {
  const nothing = { text: "", bytes: 0, truncated: false };
  const message = scriptCopyFailed(why);
  return { end: { kind: "notStarted", message }, stdout: nothing, stderr: nothing, durationMs: 0 };
}
