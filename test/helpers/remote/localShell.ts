/** Another machine that is simulated on this one: its login shell and all programs are local processes. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { symlink } from "node:fs/promises";
import { onTestFinished } from "vitest";
import { LocalFiles } from "@/node/runtime/local/LocalFiles";
import { RemoteRuntime } from "@/node/runtime/remote/RemoteRuntime";
import type { RemoteSession, RemoteShell, SessionEnd } from "@/node/runtime/remote/RemoteShell";
import { pathOf } from "@scripts/programs.mjs";
import { tempDir } from "@test/helpers/tempDir";
import { findOnPath } from "@/node/runtime/process/startFailure";

export interface LocalShellOptions {
  /** The program that `sh` is on the other machine. */
  readonly sh?: "sh" | "dash" | "bash" | "busybox";
  /** The login shell, with its arguments before the line. */
  readonly login?: readonly string[];
  /** Text that the login shell prints before it reads the line. */
  readonly banner?: string;
  readonly env?: Readonly<NodeJS.ProcessEnv>;
  /** Programs that are missing on the other machine. */
  readonly without?: readonly string[];
}

export class LocalShell implements RemoteShell {
  readonly label = "local-shell";
  /** The number of sessions so far. */
  opened = 0;
  readonly #options: LocalShellOptions;
  readonly #sessions = new Set<Cut>();
  #path: Promise<string> | undefined;

  constructor(options: LocalShellOptions = {}) {
    this.#options = options;
  }

  async open(line: string): Promise<RemoteSession> {
    this.opened++;
    const { login = ["/bin/sh", "-c"], banner = "", env = process.env } = this.#options;
    const [file = "", ...args] = login;
    this.#path ??= this.#makePath();
    const child = spawn(file, [...args, line], {
      env: { ...env, PATH: await this.#path },
      cwd: "/",
      detached: true,
      stdio: "pipe",
    });
    child.stdin.on("error", () => undefined);
    let settle: (end: SessionEnd) => void = () => undefined;
    const ended = new Promise<SessionEnd>((resolve) => {
      settle = resolve;
    });
    const release = (): void => {
      for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe.destroy();
      child.unref();
      this.#sessions.delete(cut);
    };
    const cut = (): void => {
      release();
      settle({ kind: "broken", message: "the connection was cut" });
    };
    this.#sessions.add(cut);
    child.once("error", (error) => {
      settle({ kind: "broken", message: error.message });
    });
    child.once("close", (code, signal) => {
      this.#sessions.delete(cut);
      settle(
        code === null
          ? { kind: "broken", message: `the session ended by ${signal ?? "nobody"}` }
          : { kind: "over", code }
      );
    });
    if (banner !== "") {
      child.stdout.unshift(Buffer.from(banner));
      child.stderr.unshift(Buffer.from(banner));
    }
    return {
      stdin: child.stdin,
      stdout: child.stdout,
      stderr: child.stderr,
      ended,
      kill: () => {
        release();
        settle({ kind: "over", code: 255 });
      },
    };
  }

  /** Ends every connection on this side. For the programs on the other machine, only their pipes are closed. */
  cut(): void {
    for (const cut of [...this.#sessions]) cut();
  }

  dispose(): Promise<void> {
    this.cut();
    return Promise.resolve();
  }

  /** Returns a PATH with the given `sh` before the real ones, or with links to all programs except the missing ones. */
  async #makePath(): Promise<string> {
    const { sh = "sh", without = [], env = process.env } = this.#options;
    const path = env.PATH ?? "/usr/bin:/bin";
    if (sh === "sh" && without.length === 0) return path;
    const folder = await tempDir();
    await symlink(pathOf(sh) ?? sh, join(folder, "sh"));
    if (without.length === 0) return `${folder}:${path}`;
    const wanted = "bash cat head tail sleep setsid env ps seq touch wc mkdir tee printf true";
    for (const name of wanted.split(" ")) {
      const program = without.includes(name) ? undefined : await findOnPath(name, path);
      if (program !== undefined) await symlink(program, join(folder, name));
    }
    return folder;
  }
}

type Cut = () => void;

/** Returns a runtime on another machine, which the end of the test disposes of. */
export function farRuntime(shell: RemoteShell = new LocalShell()): RemoteRuntime {
  const runtime = new RemoteRuntime(shell, new LocalFiles());
  onTestFinished(() => runtime.dispose());
  return runtime;
}
