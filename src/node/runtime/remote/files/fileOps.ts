/** The script that does file operations on another machine, and the calls of its functions. */
import files from "@/node/runtime/remote/files/files.sh";
import { codeLines, shellWord } from "@/node/runtime/remote/shellLine";

/** How the far side's `stat` is asked: `c` is GNU's and busybox's, `f` that of BSD and macOS. */
export type StatFlavour = "c" | "f";

/** Where what is written comes from: it stands in the script, or comes by standard input. */
export type Source = { readonly text: string } | "stdin";

/**
 * The steps behind what they need. The answer is a mark, then one or more a step: a line feed and a line of the token,
 * and what came of it; what it prints stands before its mark.
 *
 * @param token in two halves, so that no list of processes holds it whole
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

/** Runs a script that is too long for a line: it comes by standard input, and is run only where it came whole. */
export function loader(token: Token): string {
  return `LC_ALL=C; s=$(cat); case $s in *${shellWord(endOf(token))}) eval "$s" ;; esac`;
}

const endOf = ([left, right]: Token): string => `# ${right}${left}`;

/** One mark a path, then the lines of those that are there. */
export const statStep = (paths: readonly string[]): string => step("look", ...paths);

/** How many paths one `stat` is asked for: more would take time that grows with their square. */
export const PATHS_PER_STEP = 200;

export function readStep(path: string, bytes: number, tail: boolean, offset: number): string {
  return step("read_file", path, String(bytes), tail ? "tail" : "head", String(tail ? 0 : offset));
}

export interface Writing {
  readonly how: "write_file" | "create_file" | "append_file";
  readonly path: string;
  /** A name that nothing in its folder has. */
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
/** Makes a private folder of this name below the cache folder, lists those beside it, and removes those of a week ago. */
export const scratchStep = (name: string): string => step("make_scratch", name);

function step(name: string, ...args: readonly string[]): string {
  return [name, ...args.map(shellWord)].join(" ");
}

const FUNCTIONS = codeLines(files).join("\n");
