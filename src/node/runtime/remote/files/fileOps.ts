/** The script that does file operations on another machine, and the calls of its functions. */
import files from "@/node/runtime/remote/files/files.sh";
import { codeLines, inputLine, remoteLine, shellWord } from "@/node/runtime/remote/shellLine";

/** The option of the other machine's `stat`: `c` is that of GNU and busybox, `f` that of BSD and macOS. */
export type StatFlavour = "c" | "f";

/** The source of written data: text in the script, or standard input. */
export type Source = { readonly text: string } | "stdin";

/**
 * Returns the functions followed by the steps. The output begins with a mark, and each step prints one or more. A mark
 * is a line feed and a line with the token and the result. The output of a step precedes its mark.
 *
 * @param token in two halves, so that no process list contains it whole
 */
export function wholeScript(
  [left, right]: Token,
  flavour: StatFlavour | undefined,
  steps: readonly string[]
): string {
  const begin = `token_left=${left} token_right=${right} flavour=${flavour ?? ""}`;
  return [begin, FUNCTIONS, ...steps, "mark end", endOf([left, right])].join("\n");
}

export type Token = readonly [left: string, right: string];

/**
 * Returns the line and the input that run a script if it has arrived completely. An upload is the rest of the input; the
 * script then precedes it as one line, which the shell reads byte by byte.
 */
export function scriptInput(
  token: Token,
  script: string,
  upload: Uint8Array | undefined
): { readonly line: string; readonly input: Buffer } {
  const [read, sent] =
    upload === undefined
      ? ["s=$(cat)", script]
      : [`IFS= read -r s; s=$(printf %b "$s")`, inputLine(script)];
  const line = remoteLine(`LC_ALL=C; ${read}; case $s in *"${endOf(token)}") eval "$s" ;; esac`);
  return { line, input: Buffer.concat([Buffer.from(sent), upload ?? Buffer.alloc(0)]) };
}

const endOf = ([left, right]: Token): string => `# ${right}${left}`;

/** Returns a step whose output has one mark per path, then the stat lines of the existing ones. */
export const statStep = (paths: readonly string[]): string => step("look", ...paths);

/** How many paths are passed to one `stat`. The time for more grows with their square. */
export const PATHS_PER_STEP = 200;

export function readStep(path: string, bytes: number, tail: boolean, offset: number): string {
  return step("read_file", path, String(bytes), tail ? "tail" : "head", String(tail ? 0 : offset));
}

export interface Writing {
  readonly how: "write_file" | "create_file" | "append_file";
  readonly path: string;
  /** A name that no file in its folder has. */
  readonly temporary: string;
  readonly mode: number;
  /** In bytes. */
  readonly size: number;
  readonly source: Source;
}

export function writeStep({ how, path, temporary, mode, size, source }: Writing): string {
  const data = source === "stdin" ? ["stdin"] : ["text", source.text];
  return step(how, path, temporary, mode.toString(8), String(size), ...data);
}

export const listStep = (path: string): string => step("list_folder", path);
export const renameStep = (from: string, to: string): string => step("rename_file", from, to);
export const removeStep = (path: string): string => step("remove_file", path);
/** Creates a private folder of this name in the cache folder, lists those beside it, and removes week-old ones. */
export const scratchStep = (name: string): string => step("make_scratch", name);

function step(name: string, ...args: readonly string[]): string {
  return [name, ...args.map(shellWord)].join(" ");
}

const FUNCTIONS = codeLines(files).join("\n");
