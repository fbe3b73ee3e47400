import { lstat, mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { err, ok, type Result } from "neverthrow";
import pTimeout from "p-timeout";
import { describeError } from "@/common/errors";
import { KIB } from "@/common/limits";
import { startFailed } from "@/node/runtime/messages";
import { OutputCapture } from "@/node/runtime/process/output/OutputCapture";
import { sendSignal } from "@/node/runtime/process/sendSignal";
import { spawnGroup, type ProcessGroup } from "@/node/runtime/process/spawnGroup";
import { outputDrained } from "@/node/runtime/process/waitForExit";
import {
  masterArguments,
  sshEnvironment,
  type SshDestination,
} from "@/node/runtime/ssh/sshArguments";
import script from "@/node/runtime/ssh/connection.sh";
import { CLOSED, explainSsh, noSsh, type SshFailure } from "@/node/runtime/ssh/sshErrors";

/** The limit for logging in. ssh itself only limits connecting. */
const LOGIN_MS = 30_000;
const STOP_MS = 2_000;
const SHELL = "/bin/sh";
const SOCKET_NAME = "s";
const FOLDER_PREFIX = "mux-ssh-";
/** The length of the suffix that `mkdtemp` adds. */
const RANDOM_CHARS = 6;

/** One connection to another machine, in a process of its own, shared by any number of sessions. */
export class SshConnection {
  /** Resolved with the reason once the connection is gone. */
  readonly closed: Promise<SshFailure>;
  #isOver = false;

  private constructor(
    readonly socket: string,
    private readonly group: ProcessGroup,
    closed: Promise<SshFailure>
  ) {
    this.closed = closed;
    void closed.then(() => {
      this.#isOver = true;
    });
  }

  /** Connects and logs in. Gives up when `signal` aborts. */
  static async start(
    connection: SshDestination,
    signal: AbortSignal
  ): Promise<Result<SshConnection, SshFailure>> {
    const folder = await makeFolder();
    if (folder.isErr()) return err(folder.error);
    const socket = join(folder.value, SOCKET_NAME);
    const spawned = await spawnGroup(
      {
        file: SHELL,
        args: ["-c", script, "sh", folder.value, "ssh", ...masterArguments(connection, socket)],
        cwd: "/",
        env: sshEnvironment(connection),
      },
      { holdStdin: true }
    );
    if (spawned.isErr()) {
      await removeFolder(socket);
      return err({ code: "ENOENT", message: startFailed(SHELL, describeError(spawned.error)) });
    }
    const group = spawned.value;
    // oxlint-disable-next-line typescript/no-misused-promises -- `finally` awaits it
    const closed = lastWords(group, connection).finally(() => removeFolder(socket));
    const master = new SshConnection(socket, group, closed);
    return await master.#ready(connection, signal);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Returns whether the connection's process accepts sessions. It may have ended before `closed` resolves. */
  isAlive(): Promise<boolean> {
    if (this.#isOver) return Promise.resolve(false);
    return new Promise((resolve) => {
      const probe = connect(this.socket);
      probe.once("connect", () => {
        probe.destroy();
        resolve(true);
      });
      probe.once("error", () => {
        resolve(false);
      });
    });
  }

  /** Ends the connection and its sessions. Resolves once its process and its folder are gone, or after SIGKILL. */
  async stop(): Promise<void> {
    this.group.stdin?.end();
    // Its timer also keeps this process alive meanwhile, which the connection itself does not.
    const reason = await pTimeout(this.closed, {
      milliseconds: STOP_MS,
      fallback: () => undefined,
    });
    if (reason !== undefined) return;
    sendSignal(-this.group.leader, "SIGKILL");
    await removeFolder(this.socket);
  }

  async #ready(
    { target }: SshDestination,
    signal: AbortSignal
  ): Promise<Result<SshConnection, SshFailure>> {
    const deadline = performance.now() + LOGIN_MS;
    while (!this.#isOver) {
      // ssh moves the socket into place once the login is done.
      if (await exists(this.socket)) {
        this.group.unref();
        return ok(this);
      }
      const isLate = performance.now() > deadline;
      if (isLate || signal.aborted) {
        await this.stop();
        return err(isLate ? explainSsh("login timed out", target) : CLOSED);
      }
      await Promise.race([delay(5), this.closed]);
    }
    return err(await this.closed);
  }
}

/** Waits for ssh to end and returns the failure that it reported. */
async function lastWords(group: ProcessGroup, connection: SshDestination): Promise<SshFailure> {
  const said = new OutputCapture(16 * KIB);
  group.stdout.resume();
  group.stderr.on("data", (chunk: Buffer) => {
    said.push(chunk);
  });
  const { code } = await group.exited;
  await outputDrained(group);
  group.release();
  return code === 127 ? noSsh() : explainSsh(said.read().text, connection.target);
}

/**
 * Creates a folder that only this user may enter; otherwise another user could replace the socket. The path of a socket
 * is at most 104 bytes long, of which ssh needs 17 while it creates the socket.
 */
async function makeFolder(): Promise<Result<string, SshFailure>> {
  const longest = 104 - 17 - `/${FOLDER_PREFIX}/${SOCKET_NAME}\0`.length - RANDOM_CHARS;
  const parents = [process.env.XDG_RUNTIME_DIR ?? "", tmpdir(), "/tmp"];
  for (const parent of parents) {
    if (!parent.startsWith("/") || Buffer.byteLength(parent) > longest) continue;
    const folder = await mkdtemp(join(parent, FOLDER_PREFIX)).catch(() => undefined);
    if (folder !== undefined) return ok(folder);
  }
  return err({
    code: "EACCES",
    message: `no folder for the socket of the SSH connection can be created in ${parents.filter(Boolean).join(" or ")}; set TMPDIR to a writable folder with a short path`,
  });
}

/** Removes the socket's folder, in case the connection's shell was killed or found no `rm`. */
async function removeFolder(socket: string): Promise<void> {
  await rm(dirname(socket), { recursive: true, force: true }).catch(() => undefined);
}

async function exists(path: string): Promise<boolean> {
  return await lstat(path).then(
    () => true,
    () => false
  );
}
