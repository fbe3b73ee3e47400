/**
 * A host's own runtime for another machine, as in Mux: a client process, web streams, `bash -c` on the other machine.
 */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import type { HostRuntime, HostStreams } from "@/host/muxTypes";

const SHELL_WORD = (text: string): string => `'${text.replaceAll("'", `'"'"'`)}'`;

export class TestHostRuntime implements HostRuntime {
  /** The number of commands so far. */
  count = 0;
  /** If set, every command fails with this message, as after a lost connection. */
  lost: string | undefined;
  readonly #cuts = new Set<() => void>();

  /** @param env the environment on the other machine */
  constructor(
    private readonly env: NodeJS.ProcessEnv,
    private readonly dir = "/"
  ) {}

  getWorkspacePath(): string {
    return this.dir;
  }

  exec(command: string, { cwd, abortSignal }: { cwd: string; abortSignal: AbortSignal }) {
    this.count++;
    if (abortSignal.aborted) throw new Error("Operation aborted before execution");
    if (this.lost !== undefined) return Promise.reject(new Error(this.lost));
    const parts = [`cd ${SHELL_WORD(cwd)}`, "export GIT_EDITOR='true'", command];
    const child = spawn("bash", ["-c", parts.join(" && ")], {
      env: this.env,
      detached: true,
      stdio: "pipe",
    });
    return Promise.resolve(this.#streams(child, abortSignal));
  }

  /** Ends every client like a lost connection. For the programs on the other machine, only their pipes are closed. */
  cut(): void {
    for (const cut of [...this.#cuts]) cut();
  }

  #streams(child: ChildProcessWithoutNullStreams, abortSignal: AbortSignal): HostStreams {
    let settle: (code: number) => void = () => undefined;
    const exitCode = new Promise<number>((resolve) => {
      settle = resolve;
    });
    const leave = (code: number) => (): void => {
      for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe.destroy();
      settle(code);
    };
    const cut = leave(255);
    this.#cuts.add(cut);
    abortSignal.addEventListener("abort", leave(-997), { once: true });
    child.once("close", (code, signal) => {
      this.#cuts.delete(cut);
      settle(code ?? (signal === null ? 0 : -1));
    });
    child.stdin.on("error", () => undefined);
    return {
      stdin: Writable.toWeb(child.stdin) as HostStreams["stdin"],
      stdout: Readable.toWeb(child.stdout) as HostStreams["stdout"],
      stderr: Readable.toWeb(child.stderr) as HostStreams["stderr"],
      exitCode,
      duration: exitCode,
    };
  }
}
