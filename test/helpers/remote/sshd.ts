/** A real sshd on the loopback address, with its own keys, configuration, home and ssh_config. */
import { spawn, type ChildProcess } from "node:child_process";
import { randomInt } from "node:crypto";
import { appendFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { execFileAsync } from "@test/helpers/process/processes";
import { has, pathOf } from "@scripts/programs.mjs";

/** Whether this machine has the programs of both ends. */
export const hasSshd = has("sshd") && has("ssh") && has("ssh-keygen");

export interface SshdOptions {
  /** Its name in the ssh_config. */
  alias?: string;
  /** The environment of every session. HOME is a folder of this sshd unless it is given. */
  env?: Record<string, string>;
  /** A shell line that gets the requested command as `$SSH_ORIGINAL_COMMAND`. */
  forceCommand?: string;
  /** Lines to put first in the sshd_config, where the first line of a keyword applies. */
  settings?: readonly string[];
}

/** The keys of all users and of all machines of this process. */
let keys: Promise<[Key, Key]> | undefined;

type Key = Readonly<Record<"" | ".pub", Buffer>>;

async function makeKey(): Promise<Key> {
  const file = join(await mkdtemp(join(tmpdir(), "mux-key-")), "key");
  await execFileAsync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", file]);
  return { "": await readFile(file), ".pub": await readFile(`${file}.pub`) };
}

async function copyKey(key: Key, file: string): Promise<void> {
  await writeFile(file, key[""], { mode: 0o600 });
  await writeFile(`${file}.pub`, key[".pub"]);
}

export class Sshd {
  #listener: ChildProcess | undefined;

  private constructor(
    readonly folder: string,
    readonly alias: string,
    readonly port: number
  ) {}

  static async start({ alias = "box", ...options }: SshdOptions = {}): Promise<Sshd> {
    const folder = await mkdtemp(join(tmpdir(), "mux-sshd-"));
    const sshd = new Sshd(folder, alias, await freePort());
    await mkdir(sshd.home);
    // Every test would otherwise start ssh-keygen twice.
    const [user, host] = await (keys ??= Promise.all([makeKey(), makeKey()]));
    await copyKey(user, sshd.userKey);
    await copyKey(host, sshd.#at("host_key"));
    await writeFile(sshd.#at("authorized_keys"), await readFile(`${sshd.userKey}.pub`));
    await writeFile(sshd.#at("sshd_config"), sshd.#settings(options).join("\n"));
    await sshd.learnHostKey();
    await writeFile(sshd.config, sshd.hostBlock(alias));
    await makePrivsepFolder();
    try {
      await sshd.listen();
      return sshd;
    } catch (error) {
      if (!String(error).includes("Bind to port")) throw error;
      await sshd.dispose();
      return await Sshd.start({ alias, ...options });
    }
  }

  /** The home of the user who logs in. */
  get home(): string {
    return this.#at("home");
  }

  get userKey(): string {
    return this.#at("user_key");
  }

  /** The ssh_config, for `ssh -F`. */
  get config(): string {
    return this.#at("config");
  }

  get knownHosts(): string {
    return this.#at("known_hosts");
  }

  /** Returns a block of an ssh_config for this sshd. `settings` come first, and so take precedence. */
  hostBlock(alias: string, settings: readonly string[] = []): string {
    const lines = [
      ...settings,
      "HostName 127.0.0.1",
      `Port ${this.port}`,
      `User ${userInfo().username}`,
      `IdentityFile "${this.userKey}"`,
      "IdentitiesOnly yes",
      "IdentityAgent none",
      `UserKnownHostsFile "${this.knownHosts}"`,
    ];
    return [`Host ${alias}`, ...lines.map((line) => `  ${line}`), ""].join("\n");
  }

  /** Adds a block to the ssh_config. */
  async addHost(alias: string, settings: readonly string[]): Promise<void> {
    await appendFile(this.config, this.hostBlock(alias, settings));
  }

  /** Accepts new connections again, on the same port. */
  async listen(): Promise<void> {
    const args = ["-D", "-e", "-f", this.#at("sshd_config")];
    const listener = spawn(pathOf("sshd") ?? "sshd", args, { stdio: ["ignore", "ignore", "pipe"] });
    this.#listener = listener;
    await new Promise<void>((resolve, reject) => {
      let log = "";
      listener.once("exit", () => {
        reject(new Error(`sshd did not start: ${log}`));
      });
      listener.stderr.setEncoding("utf8").on("data", (text: string) => {
        log = (log + text).slice(-20_000);
        if (log.includes("Server listening on 127.0.0.1")) resolve();
        // With only the other address it would continue, and refuse the connections of the tests.
        else if (/Bind to port \d+ on 127\.0\.0\.1 failed/.test(log)) listener.kill("SIGKILL");
      });
    });
  }

  /** Accepts no new connections, and keeps existing ones. */
  async stopListening(): Promise<void> {
    const listener = this.#listener;
    if (listener?.exitCode !== null || listener.signalCode !== null) return;
    const over = new Promise((resolve) => listener.once("exit", resolve));
    listener.kill("SIGKILL");
    await over;
  }

  /** Cuts every connection at once, like a machine that loses power. New connections are accepted. */
  async cutConnections(): Promise<void> {
    for (const pid of await this.connections()) signal(pid, "SIGKILL");
  }

  /** Cuts every connection, and accepts no new ones. */
  async kill(): Promise<void> {
    const connections = await this.connections();
    await this.stopListening();
    for (const pid of connections) signal(pid, "SIGKILL");
  }

  /** Simulates a cut link: sshd neither responds nor refuses connections. */
  async freeze(): Promise<void> {
    for (const pid of await this.#processes()) signal(pid, "SIGSTOP");
  }

  async thaw(): Promise<void> {
    for (const pid of await this.#processes()) signal(pid, "SIGCONT");
  }

  /** Ends it with all its connections, and removes its folder. */
  async dispose(): Promise<void> {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Creates another host key, which known_hosts does not contain yet. Takes effect at the next `listen`. */
  async newHostKey(): Promise<void> {
    await copyKey(await makeKey(), this.#at("host_key"));
  }

  /** Writes the known_hosts of the ssh_config. */
  async learnHostKey(): Promise<void> {
    const key = await readFile(this.#at("host_key.pub"), "utf8");
    const names = ["127.0.0.1", "::1"].map((host) => `[${host}]:${this.port}`).join(",");
    await writeFile(this.knownHosts, `${names} ${key}`);
  }

  /** Lists the processes of sshd that serve a connection. */
  async connections(): Promise<number[]> {
    const listener = this.#listener?.pid;
    return (await this.#processes()).filter((pid) => pid !== listener);
  }

  async #processes(): Promise<number[]> {
    const { stdout } = await execFileAsync("ps", ["-A", "-o", "pid=,ppid=,args="]);
    const rows = stdout.split("\n").map((line) => line.trim().split(/\s+/));
    const found = new Set([this.#listener?.pid]);
    // A child of the listener and a grandchild serve each connection. Programs below them are not included.
    for (let size = 0; size < found.size;) {
      size = found.size;
      for (const [pid, parent, name] of rows) {
        if (name?.startsWith("sshd") && found.has(Number(parent))) found.add(Number(pid));
      }
    }
    return [...found].filter((pid) => pid !== undefined);
  }

  #settings({ env, forceCommand, settings = [] }: SshdOptions): string[] {
    const variables = Object.entries({ HOME: this.home, ...env });
    return [
      ...settings,
      `Port ${this.port}`,
      "ListenAddress 127.0.0.1",
      "ListenAddress ::1",
      `HostKey "${this.#at("host_key")}"`,
      `AuthorizedKeysFile "${this.#at("authorized_keys")}"`,
      "PidFile none",
      "UsePAM no",
      "StrictModes no",
      "PasswordAuthentication no",
      "KbdInteractiveAuthentication no",
      "UseDNS no",
      "PrintMotd no",
      `SetEnv ${variables.map(([name, value]) => `"${name}=${value}"`).join(" ")}`,
      ...(forceCommand === undefined ? [] : [`ForceCommand ${forceCommand}`]),
      "",
    ];
  }

  #at(name: string): string {
    return join(this.folder, name);
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process has already ended.
  }
}

/**
 * Returns a free port, since sshd and opencode do not accept port 0. It is below the ports that systems give to
 * outgoing connections: one of those could be taken before sshd listens on it.
 */
export async function freePort(): Promise<number> {
  const port = randomInt(10_000, 32_000);
  const server = createServer();
  const free = await new Promise<boolean>((resolve) => {
    server.once("error", () => {
      resolve(false);
    });
    server.listen(port, "127.0.0.1", () => {
      resolve(true);
    });
  });
  if (!free) return await freePort();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Creates a folder that sshd needs as root, and that a service would otherwise create. */
async function makePrivsepFolder(): Promise<void> {
  if (userInfo().uid === 0) await mkdir("/run/sshd", { recursive: true, mode: 0o755 });
}
