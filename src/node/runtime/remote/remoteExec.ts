import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { describeError } from "@/common/errors";
import { KILL_GRACE_MS } from "@/common/limits";
import { lateTimeout } from "@/node/runtime/process/lateTimeout";
import { freeChunk } from "@/node/runtime/process/freeChunk";
import { environmentScript } from "@/node/runtime/remote/environment";
import { remoteLine } from "@/node/runtime/remote/line";
import { MarkedStream } from "@/node/runtime/remote/marker";
import { openRemoteOutput, type RemoteOutput } from "@/node/runtime/remote/remoteOutput";
import { farEnd } from "@/node/runtime/remote/farEnd";
import type { RemoteSession, RemoteShell, SessionEnd } from "@/node/runtime/remote/RemoteShell";
import { SUPERVISOR } from "@/node/runtime/remote/supervisor";
import type { Command, ExecEnd, ExecRequest, ExecResult } from "@/node/runtime/Runtime";

/** How long a machine that was reached may take until a program is started: its login shell has things to do, too. */
const START_MS = 30_000;
/** How much longer than the far side's own time an answer may take before it is given up. */
const PATIENCE_MS = 3_000;

/**
 * Runs a program on the far side to its end, in one session (H20 to H23, H35). Never rejects.
 *
 * A time limit and an abort end the session's input, whereupon the far side ends the program's tree and says so. The
 * same happens there when the connection is lost.
 */
export async function remoteExec(shell: RemoteShell, request: ExecRequest): Promise<ExecResult> {
  const start = performance.now();
  const opened = await openRemoteOutput(shell, request);
  if (opened.isErr()) {
    const { code, message } = opened.error;
    const end = { kind: "notStarted", code, message: `its log cannot be written: ${message}` };
    return { end: end as ExecEnd, stdout: NOTHING, stderr: NOTHING, durationMs: 0 };
  }
  const output = opened.value;
  const end = await runInSession(shell, request, output);
  const ended = { end, durationMs: performance.now() - start };
  const kept = await output.close(ended);
  // What is there then is the words of those who tried to start it.
  if (end.kind === "notStarted") return { ...ended, stdout: NOTHING, stderr: NOTHING };
  return { ...ended, ...kept };
}

async function runInSession(
  shell: RemoteShell,
  request: ExecRequest,
  output: RemoteOutput
): Promise<ExecEnd> {
  if (request.signal?.aborted) return { kind: "cancelled" };
  const token = randomBytes(12).toString("hex");
  const line = remoteLine(SUPERVISOR, supervisorArguments(token, request));
  if (line.isErr()) return { kind: "notStarted", ...line.error };
  try {
    const session = await shell.open(line.value, request.signal);
    return await new SupervisedRun(session, token, request, output).end;
  } catch (thrown) {
    if (request.signal?.aborted) return { kind: "cancelled" };
    return { kind: "notStarted", message: describeError(thrown) };
  }
}

function supervisorArguments(token: string, request: ExecRequest): string[] {
  const { environment, around } = environmentScript(request);
  const input = Buffer.byteLength(request.stdin ?? "");
  // In whole seconds, since not every sleep knows others; for the case that nobody tells it.
  const seconds = Math.max(1, Math.ceil((request.timeoutMs ?? Infinity) / 1000));
  const limit = seconds < 2 ** 31 ? String(seconds) : "";
  return [token, limit, String(input), request.cwd, environment, around, ...words(request.command)];
}

/** `:` stands for the shell that command lines are for; which that is the far side knows. */
function words(command: Command): readonly string[] {
  if ("file" in command) return [command.file, ...command.args];
  if (command.shell === undefined) return [":", "-c", command.script];
  const isBash = /(^|\/)bash$/.test(command.shell);
  return [command.shell, ...(isBash ? ["--norc"] : []), "-c", command.script];
}

/** From an open session to how its program ended. */
class SupervisedRun {
  readonly end: Promise<ExecEnd>;
  readonly #session: RemoteSession;
  readonly #request: ExecRequest;
  readonly #output: RemoteOutput;
  readonly #stdout: MarkedStream;
  readonly #stderr: MarkedStream;
  readonly #over: string;
  #settle: (end: ExecEnd) => void = () => undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Why we have asked for the program's end. */
  #stop: "timedOut" | "cancelled" | undefined;
  #isOutputOver = false;
  /** What stands on stderr behind the program's last byte. */
  #report: string | undefined;

  constructor(session: RemoteSession, token: string, request: ExecRequest, output: RemoteOutput) {
    this.#session = session;
    this.#request = request;
    this.#output = output;
    this.#over = `${token}-over\n`;
    const take = (name: "stdout" | "stderr") => (bytes: Buffer) => {
      // As on the local machine, what a program prints while it is ended is for its log alone.
      output.take(name, bytes, this.#stop !== undefined);
    };
    this.#stdout = new MarkedStream(`${token}-started\n`, this.#over, take("stdout"));
    this.#stderr = new MarkedStream(`${token}-started\n`, `${token}-ended `, take("stderr"));
    this.end = this.#run();
  }

  async #run(): Promise<ExecEnd> {
    const { signal, stdin } = this.#request;
    const cancel = (): void => {
      this.#askForEnd("cancelled", KILL_GRACE_MS + PATIENCE_MS);
    };
    const settled = new Promise<ExecEnd>((resolve) => {
      this.#settle = resolve;
    });
    this.#watch(START_MS, () => {
      const message = `the machine was reached, but its login shell has started nothing within ${START_MS / 1000} s`;
      this.#settle({ kind: "notStarted", code: "ETIMEDOUT", message });
    });
    this.#listen();
    if (stdin !== undefined && stdin !== "") this.#session.stdin.write(stdin);
    signal?.addEventListener("abort", cancel, { once: true });
    if (isAborted(signal)) cancel();
    const end = await settled;
    signal?.removeEventListener("abort", cancel);
    clearTimeout(this.#timer);
    this.#letGo();
    return end;
  }

  #listen(): void {
    const { stdout, stderr, ended } = this.#session;
    stdout.on("data", (chunk: Buffer) => {
      if (this.#stdout.push(chunk) !== undefined) this.#isOutputOver = true;
      freeChunk(chunk);
      this.#answer();
    });
    stderr.on("data", (chunk: Buffer) => {
      const hadBegun = this.#stderr.hasBegun();
      const report = this.#stderr.push(chunk)?.toString("utf8");
      if (report !== undefined) this.#report = ((this.#report ?? "") + report).slice(0, MAX_REPORT);
      freeChunk(chunk);
      if (!hadBegun && this.#stderr.hasBegun()) this.#hasStarted();
      this.#answer();
    });
    this.#output.throttle([stdout, stderr]);
    void this.#sessionOver(ended);
  }

  async #sessionOver(ended: Promise<SessionEnd>): Promise<void> {
    const { stdout, stderr } = this.#session;
    const end = await ended;
    // What has arrived before the end of the session may still be unread.
    await Promise.all([stdout, stderr].map((stream) => hasEnded(stream)));
    this.#stdout.close();
    this.#stderr.close();
    if (this.#stop !== undefined) this.#settle({ kind: this.#stop });
    else if (this.#stderr.hasBegun()) this.#settle({ kind: "lost", message: lostWords(end) });
    else this.#settle(neverStarted(end));
  }

  #hasStarted(): void {
    const { timeoutMs } = this.#request;
    clearTimeout(this.#timer);
    if (this.#stop !== undefined || timeoutMs === undefined) return;
    this.#watch(timeoutMs, () => {
      this.#askForEnd("timedOut", KILL_GRACE_MS + PATIENCE_MS);
    });
  }

  /** The first reason counts. */
  #askForEnd(reason: "timedOut" | "cancelled", patienceMs: number): void {
    if (this.#stop !== undefined || this.#report !== undefined) return;
    this.#stop = reason;
    this.#session.stdin.end();
    clearTimeout(this.#timer);
    this.#watch(patienceMs, () => {
      this.#settle({ kind: reason });
    });
  }

  #answer(): void {
    if (this.#report === undefined) return;
    // Nobody is left to read it, and whoever ends a tree there waits for this end.
    if (!this.#session.stdin.writableEnded) this.#session.stdin.end();
    const at = this.#report.indexOf(this.#over);
    if (at === -1 || !this.#isOutputOver) return;
    const end = farEnd(this.#report.slice(0, at), this.#request);
    this.#settle(
      this.#stop === undefined || end.kind === "notStarted" ? end : { kind: this.#stop }
    );
  }

  #watch(ms: number, act: () => void): void {
    this.#timer = lateTimeout(act, ms);
  }

  #letGo(): void {
    this.#session.stdin.end();
    this.#session.stdout.removeAllListeners("data");
    this.#session.stderr.removeAllListeners("data");
    this.#session.kill();
  }
}

const MAX_REPORT = 16_384;
const NOTHING = { text: "", bytes: 0, truncated: false };

async function hasEnded(stream: NodeJS.ReadableStream & { destroyed?: boolean }): Promise<void> {
  if ("readableEnded" in stream && stream.readableEnded) return;
  if (stream.destroyed) return;
  await Promise.race([once(stream, "end"), once(stream, "close")]).catch(() => undefined);
}

function lostWords(end: SessionEnd): string {
  if (end.kind === "broken") return end.message;
  return `its session ended (exit code ${end.code}) without a word about it`;
}

function neverStarted(end: SessionEnd): ExecEnd {
  if (end.kind === "broken") {
    const { code, message } = end;
    return { kind: "notStarted", ...(code === undefined ? {} : { code }), message };
  }
  const message = `the machine was reached, but its login shell did not start sh (exit code ${end.code}); try a command there by hand`;
  return { kind: "notStarted", message };
}

/** Asked anew: the session may have taken its time. */
function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}
