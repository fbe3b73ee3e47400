/** A workspace on another machine, whose `/` is a folder of this one. Its programs have the folder's path in `$BOX`. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { err, ok, type Result } from "neverthrow";
import { LocalFiles } from "@/node/runtime/local/LocalFiles";
import { LocalRuntime } from "@/node/runtime/local/LocalRuntime";
import type * as port from "@/node/runtime/HookRuntime";

export class OtherMachine implements port.RemoteHookRuntime {
  readonly isRemote = true;
  readonly label = "ssh://box";
  readonly host: port.Files = new LocalFiles();
  /** Every operation. Those that were requested in the same microtask are grouped. */
  readonly ticks: string[][] = [];
  /** If set, every operation fails with this message, as after a lost connection. */
  lost: string | undefined;
  /** The name of an operation that fails. */
  failing: string | undefined;

  readonly #files = new LocalFiles();
  readonly #programs: LocalRuntime;
  #tick: string[] | undefined;

  constructor(
    private readonly root: string,
    env: NodeJS.ProcessEnv = {}
  ) {
    this.#programs = new LocalRuntime({ env: { ...process.env, ...env, BOX: root } });
  }

  /** Returns the operations since the last call. */
  takeTicks(): string[][] {
    return this.ticks.splice(0);
  }

  stat(paths: readonly string[]): Promise<readonly port.FileStat[]> {
    const failure = this.#asked("stat", paths[0]);
    if (failure !== undefined) {
      return Promise.resolve(paths.map(() => ({ kind: "failed", failure })));
    }
    return this.#files.stat(paths.map((path) => this.at(path)));
  }

  readFile(path: string, options: port.ReadOptions) {
    return this.#ask("readFile", path, (at) => this.#files.readFile(at, options));
  }

  writeFile(path: string, data: string | Uint8Array, options?: port.WriteOptions) {
    return this.#ask("writeFile", path, (at) => this.#files.writeFile(at, data, options));
  }

  createFile(path: string, data: string | Uint8Array, options?: port.WriteOptions) {
    return this.#ask("createFile", path, (at) => this.#files.createFile(at, data, options));
  }

  appendFile(path: string, data: string | Uint8Array, options?: port.WriteOptions) {
    return this.#ask("appendFile", path, (at) => this.#files.appendFile(at, data, options));
  }

  list(path: string) {
    return this.#ask("list", path, (at) => this.#files.list(at));
  }

  rename(from: string, to: string) {
    return this.#ask("rename", from, (at) => this.#files.rename(at, this.at(to)));
  }

  remove(path: string) {
    return this.#ask("remove", path, (at) => this.#files.remove(at));
  }

  scratchDir(): Promise<Result<string, port.FileFailure>> {
    return this.#ask("scratchDir", "/scratch", async (at) => {
      await mkdir(at, { recursive: true, mode: 0o700 });
      return ok("/scratch");
    });
  }

  async exec(request: port.ExecRequest): Promise<port.ExecResult> {
    const failure = this.#asked("exec", request.cwd);
    if (failure !== undefined) {
      const { code, message } = failure;
      const nothing = { text: "", bytes: 0, truncated: false };
      const end = { kind: "notStarted", code, message } as const;
      return { end, stdout: nothing, stderr: nothing, durationMs: 0 };
    }
    const command = this.#moved(request.command);
    return await this.#programs.exec({ ...request, command, cwd: this.at(request.cwd) });
  }

  /** Returns the path on this machine for one of that machine. */
  at(path: string): string {
    return join(this.root, path);
  }

  #moved(command: port.Command): port.Command {
    if (!("file" in command) || !command.file.startsWith("/")) return command;
    return { ...command, file: this.at(command.file) };
  }

  async #ask<T>(
    what: string,
    path: string,
    act: (at: string) => Promise<Result<T, port.FileFailure>>
  ): Promise<Result<T, port.FileFailure>> {
    const failure = this.#asked(what, path);
    return failure === undefined ? await act(this.at(path)) : err(failure);
  }

  #asked(what: string, path = ""): port.FileFailure | undefined {
    if (this.#tick === undefined) {
      this.ticks.push((this.#tick = []));
      queueMicrotask(() => (this.#tick = undefined));
    }
    this.#tick.push(what);
    if (this.lost !== undefined) return { path, code: "ELOST", message: this.lost };
    if (this.failing !== what) return undefined;
    return { path, code: "ENOSPC", message: "no space left on device" };
  }
}
