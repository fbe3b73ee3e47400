/** Writes and edits files of the project, and no others. */
import { posix } from "node:path";
import type { Result } from "neverthrow";
import * as z from "zod/mini";
import { MIB } from "@/common/limits";
import type { FileFailure, HookRuntime } from "@/node/runtime/HookRuntime";
import type { Tool } from "@/node/services/session/aiService";
import { defineTool, toolFailure } from "@/node/services/session/tool";

const MAX_EDITED_BYTES = 4 * MIB;
const FILE_MODE = 0o644;

const writeSchema = z.object({ file_path: z.string().check(z.minLength(1)), content: z.string() });
const editSchema = z.object({
  file_path: z.string().check(z.minLength(1)),
  old_string: z.string().check(z.minLength(1)),
  new_string: z.string(),
});

export function fileWriteTool(runtime: HookRuntime, projectDir: string): Tool {
  return defineTool("file_write", writeSchema, async ({ file_path, content }) => {
    const file = posix.resolve(projectDir, file_path);
    const refusal = await whyRefused(runtime, { projectDir, file, name: file_path });
    if (refusal !== undefined) return toolFailure(refusal);
    return written(await runtime.writeFile(file, content, { mode: FILE_MODE }));
  });
}

/** Creates a tool that replaces a text which occurs in the file exactly once. */
export function fileEditTool(runtime: HookRuntime, projectDir: string): Tool {
  return defineTool("file_edit_replace_string", editSchema, async (input) => {
    const { file_path, old_string, new_string } = input;
    const file = posix.resolve(projectDir, file_path);
    const refusal = await whyRefused(runtime, { projectDir, file, name: file_path });
    if (refusal !== undefined) return toolFailure(refusal);
    const [stat] = await runtime.stat([file]);
    if (stat?.kind !== "file") return toolFailure(`${file_path} is not a file that can be edited`);
    if (stat.size > MAX_EDITED_BYTES) {
      return toolFailure(
        `${file_path} is too large to edit; the limit is ${MAX_EDITED_BYTES / MIB} MiB`
      );
    }
    const read = await runtime.readFile(file, { maxBytes: MAX_EDITED_BYTES });
    if (read.isErr()) return toolFailure(read.error.message);
    const text = decode(read.value);
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

/** Returns undefined for bytes that are not text, which an edit would damage. */
function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
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

interface FileToChange {
  readonly projectDir: string;
  /** Absolute. */
  readonly file: string;
  /** The path as the agent wrote it. */
  readonly name: string;
}

async function whyRefused(
  runtime: HookRuntime,
  { projectDir, file, name }: FileToChange
): Promise<string | undefined> {
  const { end, stderr } = await runtime.exec({
    command: { file: "sh", args: ["-c", LOCATE, "sh", projectDir, file] },
    cwd: projectDir,
  });
  if (end.kind !== "exited") return `${name} could not be located: ${end.kind}`;
  if (end.code === 0) return undefined;
  if (end.code === 3)
    return `${name} is a symbolic link; give the path of the file that it points to`;
  if (end.code === 4)
    return `${name} is outside the project; only files of the project may be changed`;
  return `${name} could not be located: ${stderr.text.trim()}`;
}
