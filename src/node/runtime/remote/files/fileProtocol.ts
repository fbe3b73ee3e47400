/**
 * Builds the script that does file operations on another machine, out of calls of the functions in files.sh, and parses
 * its replies: contents, stats and failures.
 */
import { err, ok, type Result } from "neverthrow";
import type { FileFailure, FileStat, PresentStat } from "@/node/runtime/HookRuntime";
import {
  failureOfCode,
  failureOfText,
  type FailurePlace,
} from "@/node/runtime/remote/fileFailures";
import files from "@/node/runtime/remote/files/files.sh";
import { codeLines, inputLine, remoteLine, shellWord } from "@/node/runtime/remote/shellLine";

/** The option of the other machine's `stat`: `c` is that of GNU and busybox, `f` that of BSD and macOS. */
export type StatFlavour = "c" | "f";

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
  const read = upload === undefined ? "s=$(cat)" : `IFS= read -r s; s=$(printf %b "$s")`;
  const line = remoteLine(`LC_ALL=C; ${read}; case $s in *"${endOf(token)}") eval "$s" ;; esac`);
  const sent = Buffer.from(upload === undefined ? script : inputLine(script));
  return { line, input: upload === undefined ? sent : Buffer.concat([sent, upload]) };
}

const endOf = ([left, right]: Token): string => `# ${right}${left}`;

/** How many paths are passed to one `stat`. The time for more grows with their square. */
export const PATHS_PER_STEP = 200;

/** Returns a call of a function of files.sh. */
export function step(name: string, ...args: readonly string[]): string {
  return [name, ...args.map(shellWord)].join(" ");
}

const FUNCTIONS = codeLines(files).join("\n");

/** The output before a mark, and the mark's text: `0` or another exit code, a system error code, or a word. */
interface FileReply {
  readonly body: Buffer;
  readonly mark: string;
}

/** The replies of one script, in the order of its steps. */
export class FileReplies {
  #position = 0;
  readonly #before: Buffer;

  constructor(
    private readonly output: Buffer,
    token: Token
  ) {
    this.#before = Buffer.from(`\n${token.join("")} `);
  }

  /** Returns the next reply, or undefined if the output ends early. */
  next(): FileReply | undefined {
    const markAt = this.output.indexOf(this.#before, this.#position);
    if (markAt === -1) return undefined;
    const wordAt = markAt + this.#before.length;
    const end = this.output.indexOf("\n", wordAt);
    if (end === -1) return undefined;
    const body = this.output.subarray(this.#position, markAt);
    this.#position = end + 1;
    return { body, mark: this.output.toString("latin1", wordAt, end) };
  }
}

/** Returns the output of a step if it succeeded, else its failure. */
export function resultOf(
  { body, mark }: FileReply,
  place: FailurePlace
): Result<Buffer, FileFailure> {
  if (mark === "0") return ok(body);
  if (mark.startsWith("E")) return err(failureOfCode(place, mark));
  return err(failureOfText(place, body.subarray(-TEXT_BYTES).toString()));
}

/** How much of the output of a failed tool is read. */
const TEXT_BYTES = 8192;

/**
 * Parses the replies to a step of `look`: one mark per path, then the stat lines of the existing ones. Returns
 * undefined if the output ends early.
 */
export function readStats(
  answers: FileReplies,
  paths: readonly string[],
  label: string
): FileStat[] | undefined {
  const first = paths.map(() => answers.next());
  const isThere = (answer: FileReply | undefined): boolean =>
    answer?.mark === "there" || answer?.mark === "executable";
  const present = first.filter(isThere).length;
  const together = present === 0 ? undefined : answers.next();
  const lines = together?.body.toString("latin1").trimEnd().split("\n") ?? [];
  const nextStat = (): FileReply | undefined => {
    if (together?.mark !== "0") return answers.next(); // A path disappeared, so each has a reply of its own.
    const line = lines.shift();
    return line === undefined ? undefined : { body: Buffer.from(line), mark: "0" };
  };
  const found: FileStat[] = [];
  for (const [index, path] of paths.entries()) {
    const answer = first[index];
    const reply = isThere(answer) ? nextStat() : answer;
    if (reply === undefined) return undefined;
    found.push(readStat(reply, { path, label }, answer?.mark === "executable"));
  }
  return found;
}

function readStat(answer: FileReply, place: FailurePlace, mayExecute: boolean): FileStat {
  if (answer.mark === "gone") return { kind: "missing" };
  const result = resultOf(answer, place);
  if (result.isOk()) {
    const line = result.value.toString("latin1").trim();
    return (
      parseStat(line, mayExecute) ?? {
        kind: "failed",
        failure: failureOfText(place, `stat printed an unknown format: “${line}”`),
      }
    );
  }
  const { code } = result.error;
  if (code === "ENOENT" && answer.mark === "link") return { kind: "missing", dangling: true };
  if (code === "ENOENT" || code === "ENOTDIR") return { kind: "missing" };
  return { kind: "failed", failure: result.error };
}

/** Parses mode in hexadecimal, size and identity; then, each after a `|`, the times of the last write and change. */
function parseStat(line: string, mayExecute: boolean): PresentStat | undefined {
  const [what = "", modified = "", changed = ""] = line.split("|");
  const [mode = "", size = "", identity = ""] = what.split(" ");
  const mtimeMs = parseTime(modified);
  const ctimeMs = parseTime(changed);
  if (!/^[\da-f]+$/i.test(mode) || !/^\d+$/.test(size)) return undefined;
  if (mtimeMs === undefined || ctimeMs === undefined) return undefined;
  const type = Number.parseInt(mode, 16) & 0xf000;
  const kind = type === 0x8000 ? "file" : type === 0x4000 ? "directory" : "other";
  return {
    kind,
    size: Number(size),
    mtimeMs,
    ctimeMs,
    identity,
    executable: kind === "file" && mayExecute,
  };
}

/** Returns the milliseconds of `1767225600 2026-01-01 00:00:00.1234` or `1767225600.1234`. */
function parseTime(text: string): number | undefined {
  const [seconds = "", , time = seconds] = text.split(" ");
  const wholeSeconds = /^-?\d+/.exec(seconds)?.[0];
  if (wholeSeconds === undefined) return undefined;
  const nanoseconds = /\.(\d{1,9})/.exec(time)?.[1]?.padEnd(9, "0") ?? "0";
  return Number(BigInt(wholeSeconds) * 1_000_000_000n + BigInt(nanoseconds)) / 1e6;
}
