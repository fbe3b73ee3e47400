/**
 * Runs a program on another machine in one session with the script supervisor.sh: captures its output or completes its
 * log, and waits for its end. A time limit, an abort or a lost connection ends the program there (H20 to H23, H35).
 */
import { finished } from "node:stream/promises";
import { setTimeout as delay } from "node:timers/promises";
import { deferred, isAborted, unlessAborted } from "@/common/abortable";
import { describeError } from "@/common/errors";
import { KILL_GRACE_MS } from "@/common/limits";
import { clip, visible } from "@/common/safeText";
import { randomHex } from "@/common/randomName";
import { outputDrained, timeoutAfterPendingIo } from "@/node/runtime/process/waitForExit";
import {
  OutputCapture,
  releaseBuffer,
  logNotOpened,
  nothingKept,
} from "@/node/runtime/process/output/OutputCapture";
import { notStarted } from "@/node/runtime/messages";
import * as supervisor from "@/node/runtime/remote/exec/supervisorCalls";
import { inputWords, remoteLine } from "@/node/runtime/remote/shellLine";
import { MarkedStream } from "@/node/runtime/remote/exec/MarkedStream";
import { failureOfText } from "@/node/runtime/remote/fileFailures";
import type { RemoteSession, RemoteShell, SessionEnd } from "@/node/runtime/remote/RemoteShell";
import type { Command, ExecEnd, ExecRequest, ExecResult } from "@/node/runtime/HookRuntime";

/** How long a machine that was reached may take to start a program, since its login shell may be slow. */
const START_MS = 30_000;
/** How much longer than the other machine's grace period a reply may take before it is given up. */
const PATIENCE_MS = 3_000;

/** How long the rest of the report may take once the program is over. A log is completed in this time. */
const EXIT_REPORT_MS = 3_000;
const LOG_EXIT_REPORT_MS = 30_000;
/** How long the streams of a session that is over may take to end. */
const LAST_BYTES_MS = 1_000;

/**
 * Runs a program on the other machine to its end, in one session (H20 to H23, H35). Never rejects. The footer of its
 * log takes a second session.
 *
 * A time limit and an abort end the session's input. The other machine then ends the program's tree and reports it. It
 * does the same when the connection is lost. Once the program has ended or is no longer wanted, every wait is bounded.
 */
export async function remoteExec(shell: RemoteShell, request: ExecRequest): Promise<ExecResult> {
  const start = performance.now();
  const { keepBytes, logTo } = request;
  const output = { stdout: new OutputCapture(keepBytes), stderr: new OutputCapture(keepBytes) };
  const { end, log, refusal } = await runInSession(shell, request, output);
  if (refusal !== undefined && logTo !== undefined) {
    return logNotOpened(failureOfText({ path: logTo.path, label: shell.label }, refusal));
  }
  const ended = { end, durationMs: performance.now() - start };
  if (logTo !== undefined && log !== "unopened") {
    return { ...ended, ...(await supervisor.closeRemoteLog(shell, logTo, log, ended)) };
  }
  // The output is then that of the tools that tried to start the program.
  if (end.kind === "notStarted") return { ...ended, stdout: nothingKept(), stderr: nothingKept() };
  return { ...ended, stdout: output.stdout.read(), stderr: output.stderr.read() };
}

type Captures = Readonly<Record<"stdout" | "stderr", OutputCapture>>;

interface Outcome {
  readonly end: ExecEnd;
  /** The report about the log; `unopened` if nothing was started. */
  readonly log?: supervisor.LogReport | "unopened" | undefined;
  /** Why the log could not be opened, as reported by the other machine. */
  readonly refusal?: string;
}

async function runInSession(
  shell: RemoteShell,
  request: ExecRequest,
  output: Captures
): Promise<Outcome> {
  const { signal, logTo } = request;
  if (signal?.aborted) return unopened({ kind: "cancelled" });
  const token = randomHex(12);
  const script = logTo === undefined ? supervisor.SUPERVISOR : supervisor.LOGGED_SUPERVISOR;
  const words = inputWords(supervisorArguments(token, request));
  if (words.isErr()) {
    const code = words.error;
    // As on the local machine, although the limit is that of the line to the other machine.
    const tooLong = notStarted.tooLong(supervisor.fileOf(request.command));
    const message = code === "E2BIG" ? tooLong : notStarted.nulByte;
    return unopened({ kind: "notStarted", code, message });
  }
  try {
    const session = await openUntil(shell, remoteLine(script), signal);
    if (session === undefined) return unopened({ kind: "cancelled" });
    session.stdin.write(words.value);
    return await new SupervisedRun(session, token, request, output).outcome;
  } catch (thrown) {
    if (isAborted(signal)) return unopened({ kind: "cancelled" });
    return unopened({ kind: "notStarted", message: describeError(thrown) });
  }
}

function unopened(end: ExecEnd): Outcome {
  return { end, log: "unopened" };
}

/** Opens a session, or returns undefined on abort. A session that opens after the abort is ended. */
async function openUntil(
  shell: RemoteShell,
  line: string,
  signal: AbortSignal | undefined
): Promise<RemoteSession | undefined> {
  const opening = shell.open(line, signal);
  const session = await unlessAborted(opening, signal);
  if (session === undefined) {
    void opening.then(
      (late) => {
        late.kill();
      },
      () => undefined
    );
  }
  return session;
}

function supervisorArguments(token: string, request: ExecRequest): string[] {
  const { environment, around } = supervisor.environmentScript(request);
  const input = Buffer.byteLength(request.stdin ?? "");
  // Whole seconds, because not every `sleep` accepts fractions. Used if this machine's own limit has no effect.
  const seconds = Math.max(1, Math.ceil((request.timeoutMs ?? Infinity) / 1000));
  const limit = seconds < 2 ** 31 ? String(seconds) : "";
  const log = request.logTo === undefined ? [] : supervisor.logArguments(request.logTo);
  const program = programWords(request.command);
  return [token, limit, String(input), request.cwd, environment, around, ...log, ...program];
}

/** Returns the words of a command. `:` is the default shell for command lines, which the other machine finds. */
function programWords(command: Command): readonly string[] {
  if ("file" in command) return [command.file, ...command.args];
  const { shell, script, args } = command;
  const line = ["-c", script, ...(args === undefined ? [] : [shell ?? "sh", ...args])];
  if (shell === undefined) return [":", ...line];
  const isBash = /(^|\/)bash$/.test(shell);
  return [shell, ...(isBash ? ["--norc"] : []), ...line];
}

/** The run of a program, from an open session to its end. */
class SupervisedRun {
  readonly outcome: Promise<Outcome>;
  readonly #stdout: MarkedStream;
  readonly #stderr: MarkedStream;
  readonly #closed: Promise<SessionEnd>;
  readonly #settled = deferred<Outcome>();
  #timer: NodeJS.Timeout | undefined;
  /** Why the program's end was requested. */
  #stop: "timedOut" | "cancelled" | undefined;
  /** Whether the program is over, and the rest of its report or of its output is awaited. */
  #isEnding = false;
  #concluded: Promise<void> | undefined;
  /** The text of the report so far. */
  #report = "";
  /** What the machine, or the program that connects to it, printed before the start. */
  #early = "";

  constructor(
    private readonly session: RemoteSession,
    private readonly token: string,
    private readonly request: ExecRequest,
    output: Captures
  ) {
    const over = `${token}-over\n`;
    const take = (name: "stdout" | "stderr") => (bytes: Buffer) => {
      // As on the local machine, output printed while the program is being ended only goes to its log.
      if (this.#stop === undefined) output[name].push(bytes);
    };
    const takeReport = (bytes: Buffer): void => {
      this.#report = (this.#report + bytes.toString("utf8")).slice(0, MAX_REPORT);
    };
    const started = `${token}-started\n`;
    const [out, error] = [take("stdout"), take("stderr")];
    const ended = [`${token}-ended `, takeReport] as const;
    this.#stdout = new MarkedStream([
      [started, out],
      [over, out],
    ]);
    this.#stderr = new MarkedStream([[started, error], ended, [over, error]]);
    this.#closed = this.#untilClosed();
    this.outcome = this.#run();
  }

  async #run(): Promise<Outcome> {
    const { signal, stdin } = this.request;
    const cancel = (): void => {
      this.#requestEnd("cancelled");
    };
    this.#watch(START_MS, () => {
      const message = `the machine was reached, but its login shell did not start the program within ${START_MS / 1000} s; run a command on the machine in a terminal to see why`;
      this.#settle({ kind: "notStarted", code: "ETIMEDOUT", message });
    });
    this.#listen();
    if (stdin !== undefined && stdin !== "") this.session.stdin.write(stdin);
    signal?.addEventListener("abort", cancel, { once: true });
    if (isAborted(signal)) cancel();
    const outcome = await this.#settled.promise;
    signal?.removeEventListener("abort", cancel);
    clearTimeout(this.#timer);
    const { session } = this;
    session.stdin.end();
    session.stdout.removeAllListeners("data");
    session.stderr.removeAllListeners("data");
    session.kill();
    return outcome;
  }

  #listen(): void {
    const { stdout, stderr } = this.session;
    stdout.on("data", (chunk: Buffer) => {
      this.#keepEarly(chunk);
      this.#stdout.push(chunk);
      releaseBuffer(chunk);
      this.#checkEnd();
    });
    stderr.on("data", (chunk: Buffer) => {
      const hadBegun = this.#stderr.passed > 0;
      this.#keepEarly(chunk);
      this.#stderr.push(chunk);
      releaseBuffer(chunk);
      if (!hadBegun && this.#stderr.passed > 0) this.#hasStarted();
      this.#checkEnd();
    });
    void this.#closed.then((end) => {
      if (this.#concluded === undefined) this.#sessionOver(end);
    });
  }

  #keepEarly(chunk: Buffer): void {
    if (this.#stderr.passed > 0) return;
    this.#early = (this.#early + chunk.toString()).slice(-MAX_REPORT);
  }

  /** Resolves when the session is over and its data has been read. */
  async #untilClosed(): Promise<SessionEnd> {
    const { stdout, stderr, ended } = this.session;
    const end = await ended;
    // Data that arrived before the end of the session may still be unread.
    const all = Promise.allSettled([stdout, stderr].map((stream) => finished(stream)));
    await Promise.race([all, delay(LAST_BYTES_MS, undefined, { ref: false })]);
    return end;
  }

  #sessionOver(end: SessionEnd): void {
    this.#stdout.close();
    this.#stderr.close();
    if (this.#stop !== undefined) this.#settle({ kind: this.#stop });
    else if (this.#stderr.passed > 0) {
      const message =
        end.kind === "broken"
          ? end.message
          : `the connection ended with exit code ${end.code} before the machine reported the end of the program`;
      this.#settle({ kind: "lost", message });
    } else if (end.kind === "broken")
      this.#settle({ ...end, code: end.code ?? "ELOST", kind: "notStarted" });
    else {
      const printed = clip(visible(this.#early.trim()), 500) || "nothing";
      const message = `no shell started on the machine (exit code ${end.code}), which printed ${printed}; run a command on the machine in a terminal to see why`;
      this.#settle({ kind: "notStarted", code: "ELOST", message });
    }
  }

  #hasStarted(): void {
    const { timeoutMs } = this.request;
    // The timer already limits the wait for the end.
    if (this.#stop !== undefined || this.#isEnding) return;
    clearTimeout(this.#timer);
    if (timeoutMs === undefined) return;
    this.#watch(timeoutMs, () => {
      this.#requestEnd("timedOut");
    });
  }

  /** Requests the program's end. Only the first reason counts. */
  #requestEnd(reason: "timedOut" | "cancelled"): void {
    if (this.#stop !== undefined || this.#isEnding) return;
    this.#stop = reason;
    this.session.stdin.end();
    this.#watch(KILL_GRACE_MS + PATIENCE_MS, () => {
      this.#settle({ kind: reason });
    });
  }

  /** Concludes the run if both streams of the program have ended. */
  #checkEnd(): void {
    const isOutputOver = this.#stdout.passed === 2;
    if (this.#stderr.passed < 2 && !isOutputOver) return;
    // The program no longer reads the input, and a script that is ending a tree waits for the input's end.
    if (!this.session.stdin.writableEnded) this.session.stdin.end();
    const isLogged = this.request.logTo !== undefined;
    if (this.#stderr.passed === 3 && isOutputOver) {
      // A log is complete, and further output of a stopped program is not wanted.
      this.#concluded ??= this.#conclude(!isLogged && this.#stop === undefined);
    } else if (!this.#isEnding) {
      this.#watch(isLogged ? LOG_EXIT_REPORT_MS : EXIT_REPORT_MS, () => {
        this.#concluded ??= this.#conclude(false);
      });
    }
    this.#isEnding = true;
  }

  async #conclude(isMoreWanted: boolean): Promise<void> {
    const { stdout, stderr } = this.session;
    if (isMoreWanted) await outputDrained({ stdout, stderr, closed: this.#closed });
    const [words, log] = supervisor.splitLogReport(this.#report, this.token);
    const end = supervisor.readEnd(words, this.request);
    const isRefused = words.startsWith(LOG_REFUSED);
    const refusal = isRefused ? words.slice(LOG_REFUSED.length).trim() : undefined;
    const stop = end.kind === "notStarted" ? undefined : this.#stop;
    this.#settle(stop === undefined ? end : { kind: stop }, log, refusal);
  }

  #settle(end: ExecEnd, log?: supervisor.LogReport, refusal?: string): void {
    this.#settled.resolve({ end, log, refusal });
  }

  #watch(ms: number, act: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = timeoutAfterPendingIo(act, ms);
  }
}

const MAX_REPORT = 16_384;
const LOG_REFUSED = "refused log ";
