/**
 * The tools of an agent in an embedded session: running commands, writing and editing files within the project only,
 * and starting sub-agents.
 */
import { strictText } from "@/common/safeText";
import { posix } from "node:path";
import * as z from "zod/mini";
import { err, ok, type Result } from "neverthrow";
import { unlessAborted } from "@/common/abortable";
import { KIB, MIB } from "@/common/limits";
import type { ExecEnd, ExecResult, FileFailure } from "@/node/runtime/HookRuntime";
import type { Tool } from "@/node/services/session/aiServiceTypes";
import { defineTool, toolFailure, type ToolHost } from "@/node/services/session/toolHost";
import { reportTool, taskTool } from "@/node/services/tools/task";

/** Returns the tools of an agent. Only a sub-agent has the tool for reports. */
export function projectTools(host: ToolHost): readonly Tool[] {
  return [
    bashTool(host),
    fileWriteTool(host),
    fileEditTool(host),
    taskTool(host),
    ...(host.isSubagent ? [reportTool] : []),
  ];
}

/** The part of a session that the tools for commands and files use. */
type FileHost = Pick<ToolHost, "runtime" | "projectDir">;

const DEFAULT_TIMEOUT_S = 120;
const MAX_OUTPUT_BYTES = 32 * KIB;

const bashSchema = z.object({
  script: z.string().check(z.minLength(1)),
  /** In seconds. */
  timeout_secs: z.optional(z.number().check(z.positive(), z.maximum(86_400))),
});

/** Creates a tool that runs a script in the project. Its whole process tree ends with the turn. */
export function bashTool({ runtime, projectDir }: FileHost): Tool {
  return defineTool("bash", bashSchema, async ({ script, timeout_secs }, { abortSignal }) => {
    const run = runtime.exec({
      command: { script },
      cwd: projectDir,
      timeoutMs: (timeout_secs ?? DEFAULT_TIMEOUT_S) * 1000,
      signal: abortSignal,
      keepBytes: MAX_OUTPUT_BYTES,
    });
    // The turn ends at once, however its processes react to the signal (H22).
    const result = await unlessAborted(run, abortSignal);
    return result === undefined ? toolFailure("interrupted") : describeResult(result);
  });
}

function describeResult({ end, stdout, stderr, durationMs }: ExecResult) {
  const output = [stdout.text, stderr.text].filter((text) => text !== "").join("\n");
  const common = { output, wall_duration_ms: durationMs };
  if (end.kind !== "exited") return { success: false, error: describeEnd(end), ...common };
  return { success: end.code === 0, exitCode: end.code, ...common };
}

function describeEnd(end: Exclude<ExecEnd, { kind: "exited" }>): string {
  switch (end.kind) {
    case "signaled":
      return `ended by ${end.signal}`;
    case "timedOut":
      return "timed out; set a larger timeout_secs to give it more time";
    case "cancelled":
      return "interrupted";
    case "lost":
      return `its end is unknown: ${end.message}`;
    case "notStarted":
      return `could not be started: ${end.message}`;
  }
}

const MAX_EDITED_BYTES = 4 * MIB;
const FILE_MODE = 0o644;

const writeSchema = z.object({ file_path: z.string().check(z.minLength(1)), content: z.string() });
const editSchema = z.object({
  file_path: z.string().check(z.minLength(1)),
  old_string: z.string().check(z.minLength(1)),
  new_string: z.string(),
});

/** Creates a tool that writes a file of the project. */
export function fileWriteTool(host: FileHost): Tool {
  return defineTool("file_write", writeSchema, async ({ file_path, content }) => {
    const located = await locate(host, file_path);
    if (located.isErr()) return toolFailure(located.error);
    return written(await host.runtime.writeFile(located.value, content, { mode: FILE_MODE }));
  });
}

/** Creates a tool that replaces a text which occurs in the file exactly once. */
export function fileEditTool(host: FileHost): Tool {
  return defineTool("file_edit_replace_string", editSchema, async (input) => {
    const { file_path, old_string, new_string } = input;
    const { runtime } = host;
    const located = await locate(host, file_path);
    if (located.isErr()) return toolFailure(located.error);
    const file = located.value;
    const [stat] = await runtime.stat([file]);
    if (stat?.kind !== "file") return toolFailure(`${file_path} is not a file that can be edited`);
    if (stat.size > MAX_EDITED_BYTES) {
      return toolFailure(
        `${file_path} is too large to edit; the limit is ${MAX_EDITED_BYTES / MIB} MiB`
      );
    }
    const read = await runtime.readFile(file, { maxBytes: MAX_EDITED_BYTES });
    if (read.isErr()) return toolFailure(read.error.message);
    // An edit would damage bytes that are not text.
    const text = strictText(read.value);
    if (text === undefined) return toolFailure(`${file_path} is not UTF-8 text`);
    const pieces = text.split(old_string);
    if (pieces.length !== 2)
      return toolFailure(
        `old_string occurs ${pieces.length - 1} times in ${file_path}; it must occur exactly once`
      );
    const mode = stat.executable ? FILE_MODE | 0o111 : FILE_MODE;
    return written(await runtime.writeFile(file, pieces.join(new_string), { mode }));
  });
}

function written(result: Result<void, FileFailure>) {
  return result.isOk() ? { success: true } : toolFailure(result.error.message);
}

/**
 * Resolves a path on the workspace's machine, because a link inside the project may point out of it.
 * Exit code 0: inside. 3: the file is a link itself. 4: outside. 5: a folder cannot be entered.
 */
const LOCATE = `
root=$(cd -P -- "$1" && pwd -P) || exit 5
[ -L "$2" ] && exit 3
dir=$(dirname -- "$2")
while [ ! -d "$dir" ]; do dir=$(dirname -- "$dir"); done
cd -P -- "$dir" || exit 5
case "$(pwd -P)/" in "$root"/*) exit 0 ;; *) exit 4 ;; esac`;

/** Returns the absolute path of a file in the project. @param name the path as the agent wrote it */
async function locate(
  { runtime, projectDir }: FileHost,
  name: string
): Promise<Result<string, string>> {
  const file = posix.resolve(projectDir, name);
  const { end, stderr } = await runtime.exec({
    command: { file: "sh", args: ["-c", LOCATE, "sh", projectDir, file] },
    cwd: projectDir,
  });
  const code = end.kind === "exited" ? end.code : undefined;
  if (code === 0) return ok(file);
  if (code === 3) {
    return err(`${name} is a symbolic link; give the path of the file that it points to`);
  }
  if (code === 4) {
    return err(`${name} is outside the project; only files of the project may be changed`);
  }
  const detail = code === undefined ? end.kind : stderr.text.trim();
  return err(`${name} could not be located: ${detail}`);
}
