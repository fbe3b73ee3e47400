/** Runs a script hook from a private copy of its frozen bytes, so that no other bytes can run (H31). */
import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { posix } from "node:path";
import { ok } from "neverthrow";
import type { ExecResult, HookRuntime } from "@/node/runtime/HookRuntime";
import type { ScriptFile } from "@/node/services/hooks/contract/types";

/** A function that starts the program at `path` with additional environment variables. */
type StartScript = (path: string, env: Readonly<Record<string, string>>) => Promise<ExecResult>;

/** @param path of the script, which is not read */
export async function runScript(
  runtime: HookRuntime,
  path: string,
  { bytes }: ScriptFile,
  start: StartScript
): Promise<ExecResult> {
  const folder = runtime.isRemote ? await runtime.scratchDir() : ok(tmpdir());
  if (folder.isErr()) return notStarted(folder.error.message);
  const dir = posix.join(folder.value, `mux-hook-${randomBytes(12).toString("hex")}`);
  const copy = posix.join(dir, posix.basename(path));
  try {
    const written = await runtime.createFile(copy, bytes, { mode: 0o700 });
    if (written.isErr()) return notStarted(written.error.message);
    return nameScript(await start(copy, { MUX_HOOK_PATH: path }), copy, path);
  } finally {
    await runtime.remove(dir);
  }
}

/** Replaces the path of the copy in errors. It differs in each run, and equal failures must have equal texts (H19a). */
function nameScript(
  { end, stderr, ...result }: ExecResult,
  copy: string,
  path: string
): ExecResult {
  const named = (text: string): string => text.replaceAll(copy, () => path);
  return {
    ...result,
    end: end.kind === "notStarted" ? { ...end, message: named(end.message) } : end,
    stderr: { ...stderr, text: named(stderr.text) },
  };
}

function notStarted(why: string): ExecResult {
  const nothing = { text: "", bytes: 0, truncated: false };
  const message = `the script did not run, because no copy of it could be created: ${why}`;
  return { end: { kind: "notStarted", message }, stdout: nothing, stderr: nothing, durationMs: 0 };
}
