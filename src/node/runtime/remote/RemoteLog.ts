import { randomBytes } from "node:crypto";
import type { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { err, ok, type Result } from "neverthrow";
import { describeError } from "@/common/errors";
import { lateTimeout } from "@/node/runtime/process/lateTimeout";
import { leftOutLine, withoutCutEnd, withoutCutStart } from "@/node/runtime/process/captureOutput";
import { failureOfConnection, failureOfText, type Place } from "@/node/runtime/remote/failures";
import { remoteLine } from "@/node/runtime/remote/line";
import { TailWindow } from "@/node/runtime/remote/TailWindow";
import type { RemoteSession, RemoteShell } from "@/node/runtime/remote/RemoteShell";
import type { ExecResult, FileFailure, LogTarget } from "@/node/runtime/Runtime";

/**
 * Appends its input to a file. Says that it can, before; that all is in it, after. A session of its own, so that the
 * program's output needs no order but its own.
 *
 * `$1`: the token, `$2`: the file, `$3`: its folder.
 */
const SCRIPT = [
  "LC_ALL=C; export LC_ALL; umask 077; token=$1;",
  'fail() { echo "$token-failed $1" >&2; exit 0; };',
  '[ -d "$3" ] || words=$(mkdir -p -- "$3" 2>&1) || fail "$words";',
  '[ -d "$2" ] && fail "Is a directory";',
  '[ -e "$2" ] && { [ -f "$2" ] || fail "$2 is not a file"; };',
  'words=$( { : >>"$2"; } 2>&1 ) || fail "$words";',
  'echo "$token-ready" >&2;',
  'words=$(cat 2>&1 >>"$2") || { fail "$words"; };',
  'echo "$token-written" >&2',
].join(" ");

const START_MS = 30_000;
/** How long the last of a log may take on its way. */
const CLOSE_MS = 30_000;

export async function openRemoteLog(
  shell: RemoteShell,
  target: LogTarget
): Promise<Result<RemoteLog, FileFailure>> {
  const { path } = target;
  const folder = path.slice(0, Math.max(path.lastIndexOf("/"), 1));
  const token = randomBytes(12).toString("hex");
  const line = remoteLine(SCRIPT, [token, path, folder]);
  if (line.isErr()) return err({ path, ...line.error });
  try {
    const session = await shell.open(line.value);
    const answers = new LogAnswers(session, token, { path, label: shell.label });
    const failure = await answers.next("ready", START_MS);
    if (failure === undefined) return ok(new RemoteLog(session, answers, target));
    session.kill();
    return err(failure);
  } catch (thrown) {
    return err({ path, code: "UNKNOWN", message: describeError(thrown) });
  }
}

/**
 * The log of a program on the far side, of which the first and the last half of `keepBytes` are kept (G11). The first
 * half is written as it comes; of what follows no more than the last half is held here, until the program is over.
 */
export class RemoteLog {
  readonly #session: RemoteSession;
  readonly #answers: LogAnswers;
  readonly #target: LogTarget;
  readonly #tail: TailWindow;
  #room: number;
  #streams: readonly Readable[] = [];
  /** What brings the first half, and what brings the whole output, to the beginning of a line. */
  #newline = "";
  #lastNewline = "";

  constructor(session: RemoteSession, answers: LogAnswers, target: LogTarget) {
    this.#session = session;
    this.#answers = answers;
    this.#target = target;
    this.#room = Math.ceil(target.keepBytes / 2);
    this.#tail = new TailWindow(Math.floor(target.keepBytes / 2));
    const resume = (): void => {
      for (const stream of this.#streams) stream.resume();
    };
    session.stdin.on("drain", resume);
    // A program does not fail for want of a log: what it prints from then on is only counted.
    void answers.over.then(resume);
    if (target.header !== undefined) session.stdin.write(target.header);
  }

  throttle(streams: readonly Readable[]): void {
    this.#streams = streams;
  }

  append(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#lastNewline = newlineBehind(bytes);
    const fits = bytes.subarray(0, this.#room);
    const first = fits.length < bytes.length ? withoutCutEnd(fits) : fits;
    this.#room = first.length < bytes.length ? 0 : this.#room - first.length;
    if (first.length > 0) this.#write(first);
    if (bytes.length > first.length) this.#tail.push(bytes.subarray(first.length));
  }

  /** @returns why the log lacks something */
  async close(ended: Pick<ExecResult, "end" | "durationMs">): Promise<FileFailure | undefined> {
    const { footer } = this.#target;
    const { stdin } = this.#session;
    const tail = this.#tail.read();
    const lost = this.#tail.bytes - tail.length;
    const whole = lost > 0 ? withoutCutStart(tail) : tail;
    if (lost > 0) stdin.write(this.#newline + leftOutLine(this.#tail.bytes - whole.length));
    if (whole.length > 0) stdin.write(whole);
    if (footer !== undefined) stdin.write(this.#lastNewline + (await footer(ended)));
    stdin.end();
    const failure = await this.#answers.next("written", CLOSE_MS);
    this.#session.kill();
    return failure;
  }

  /** A copy: the chunk is freed. */
  #write(bytes: Buffer): void {
    this.#newline = newlineBehind(bytes);
    if (this.#answers.isOver) return;
    if (this.#session.stdin.write(Buffer.from(bytes))) return;
    for (const stream of this.#streams) stream.pause();
  }
}

function newlineBehind(bytes: Buffer): string {
  return bytes.at(-1) === NEWLINE ? "" : "\n";
}

const NEWLINE = 0x0a;

/** What the far side says of the log, on stderr. */
class LogAnswers {
  /** It has said its last word. */
  readonly over: Promise<void>;
  isOver = false;
  readonly #token: string;
  readonly #place: Place;
  #text = "";
  #hear: () => void = () => undefined;
  #lost: string | undefined;

  constructor({ stdout, stderr, ended }: RemoteSession, token: string, place: Place) {
    this.#token = token;
    this.#place = place;
    stdout.resume();
    stderr.on("data", (chunk: Buffer) => {
      this.#text = (this.#text + chunk.toString("latin1")).slice(-MAX_ANSWER);
      this.#hear();
    });
    const streamOver = finished(stderr).catch(() => undefined);
    this.over = Promise.all([ended, streamOver]).then(([end]) => {
      this.isOver = true;
      this.#lost =
        end.kind === "broken" ? end.message : `its session ended (exit code ${end.code})`;
      this.#hear();
    });
  }

  /** @returns what has come in place of the word that is waited for */
  async next(word: "ready" | "written", ms: number): Promise<FileFailure | undefined> {
    return new Promise((resolve) => {
      const settle = (failure?: FileFailure): void => {
        clearTimeout(timer);
        this.#hear = () => undefined;
        resolve(failure);
      };
      const timer = lateTimeout(() => {
        settle(failureOfConnection(this.#place, { message: `no answer within ${ms / 1000} s` }));
      }, ms);
      this.#hear = () => {
        const failed = new RegExp(`${this.#token}-failed ([^]*)\n`).exec(this.#text)?.[1];
        if (failed !== undefined) settle(failureOfText(this.#place, failed));
        else if (this.#text.includes(`${this.#token}-${word}\n`)) settle();
        else if (this.#lost !== undefined) {
          settle(failureOfConnection(this.#place, { message: this.#lost }));
        }
      };
      this.#hear();
    });
  }
}

const MAX_ANSWER = 16_384;
