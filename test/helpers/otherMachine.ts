/** A workspace on another machine: its `/` is a folder of this one. */
import { join } from "node:path";
import { LocalFiles } from "@/node/runtime/LocalFiles";
import type {
  ExecResult,
  Files,
  FileStat,
  ReadOptions,
  Runtime,
  WriteOptions,
} from "@/node/runtime/Runtime";

export class OtherMachine implements Runtime {
  readonly label = "ssh://box";
  readonly host: Files = new LocalFiles();
  readonly #files = new LocalFiles();

  constructor(private readonly root: string) {}

  stat(paths: readonly string[]): Promise<readonly FileStat[]> {
    return this.#files.stat(paths.map((path) => this.#at(path)));
  }

  readFile(path: string, options: ReadOptions) {
    return this.#files.readFile(this.#at(path), options);
  }

  writeFile(path: string, data: string | Uint8Array, options?: WriteOptions) {
    return this.#files.writeFile(this.#at(path), data, options);
  }

  createFile(path: string, data: string | Uint8Array, options?: WriteOptions) {
    return this.#files.createFile(this.#at(path), data, options);
  }

  appendFile(path: string, data: string, options?: WriteOptions) {
    return this.#files.appendFile(this.#at(path), data, options);
  }

  list(path: string) {
    return this.#files.list(this.#at(path));
  }

  rename(from: string, to: string) {
    return this.#files.rename(this.#at(from), this.#at(to));
  }

  remove(path: string) {
    return this.#files.remove(this.#at(path));
  }

  exec(): Promise<ExecResult> {
    return Promise.reject(new Error("nothing is run on this machine"));
  }

  #at(path: string): string {
    return join(this.root, path);
  }
}
