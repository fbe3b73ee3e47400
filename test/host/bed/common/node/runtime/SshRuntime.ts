/** A workspace on another machine, over the ssh of this one. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import { Readable, Writable } from "node:stream";

interface ExecOptions {
  cwd: string;
  abortSignal?: AbortSignal;
}

/** Options with which all sessions share one connection. */
const OPTIONS = [
  "-T",
  ...["-o", "BatchMode=yes"],
  ...["-o", "ControlMaster=auto"],
  ...["-o", `ControlPath=${join(tmpdir(), "ssh-%C")}`],
  ...["-o", "ControlPersist=10"],
];

export class SshRuntime {
  constructor(
    private readonly host: string,
    private readonly srcBaseDir: string
  ) {}

  getWorkspacePath(projectPath: string, name: string): string {
    return posix.join(this.srcBaseDir, posix.basename(projectPath), name);
  }

  /** Runs a command. An abort ends the client, but not the command on the other machine. */
  exec(command: string, { cwd, abortSignal }: ExecOptions): Promise<object> {
    const line = `cd ${quote(cwd)} && export GIT_EDITOR='true' && ${command}`;
    const client = spawn("ssh", [...OPTIONS, this.host, `bash -c ${quote(line)}`]);
    client.stdin.on("error", () => undefined);
    abortSignal?.addEventListener("abort", () => client.kill("SIGKILL"));
    const start = performance.now();
    const exitCode = codeOf(client, abortSignal);
    return Promise.resolve({
      stdin: Writable.toWeb(client.stdin),
      stdout: Readable.toWeb(client.stdout),
      stderr: Readable.toWeb(client.stderr),
      exitCode,
      duration: exitCode.then(() => performance.now() - start),
    });
  }

  /** Clones the project from this machine. */
  addCheckout(projectPath: string, name: string): void {
    const path = this.getWorkspacePath(projectPath, name);
    const clone = `git clone --quiet ${quote(projectPath)} ${path}`;
    this.#run(`${clone} && git -C ${path} checkout --quiet -b ${quote(name)}`);
  }

  removeCheckout(projectPath: string, name: string): void {
    this.#run(`rm -rf ${this.getWorkspacePath(projectPath, name)}`);
  }

  #run(line: string): void {
    execFileSync("ssh", [...OPTIONS, this.host, line], { stdio: "ignore" });
  }
}

function codeOf(client: ChildProcess, abortSignal?: AbortSignal): Promise<number> {
  return new Promise((resolve, reject) => {
    client.once("error", reject);
    client.once("close", (code) => {
      resolve(abortSignal?.aborted === true ? -997 : (code ?? -1));
    });
  });
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'"'"'`)}'`;
}
