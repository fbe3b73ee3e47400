/** Sessions over SSH, and the processes that carry them. */
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import type { RemoteSession, RemoteShell, SessionEnd } from "@/node/runtime/remote/RemoteShell";
import { SshShell } from "@/node/runtime/ssh/openSshRuntime";
import { execFileAsync } from "@test/helpers/process/processes";
import { Sshd, type SshdOptions } from "@test/helpers/remote/sshd";

export interface RanSession {
  readonly end: SessionEnd;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts an sshd for the tests of a block. Returns a function for it. */
export function shareSshd(options?: SshdOptions): () => Sshd {
  let sshd: Sshd;
  beforeAll(async () => {
    sshd = await Sshd.start(options);
  });
  afterAll(() => sshd.dispose());
  return () => sshd;
}

/** Opens a shell on a host of that sshd's ssh_config, which is disposed after the test. */
export function openShell(sshd: Sshd, host = sshd.alias, settings: readonly string[] = []) {
  const shell = new SshShell({ target: { host }, config: sshd.config, settings });
  onTestFinished(() => shell.dispose());
  return shell;
}

/** Runs a line to its end. */
export async function runLine(shell: RemoteShell, line: string, input = ""): Promise<RanSession> {
  const session = await shell.open(line);
  session.stdin.end(input);
  return await readSession(session);
}

/** Reads an open session to its end. */
export async function readSession(session: RemoteSession): Promise<RanSession> {
  const [end, stdout, stderr] = await Promise.all([
    session.ended,
    text(session.stdout),
    text(session.stderr),
  ]);
  return { end, stdout, stderr };
}

/** Lists all processes of this machine with the folder of that sshd in their arguments, except sshd itself. */
export async function clientProcesses(sshd: Sshd): Promise<{ pid: number; args: string }[]> {
  const { stdout } = await execFileAsync("ps", ["-A", "-ww", "-o", "pid=,stat=,args="]);
  return stdout
    .split("\n")
    .map((line) => /^\s*(\d+) (\S+)\s+(.*)$/.exec(line) ?? [])
    .filter(([, , state = "Z", args = ""]) => {
      return !state.startsWith("Z") && args.includes(sshd.folder) && !args.startsWith("sshd");
    })
    .map(([, pid, , args = ""]) => ({ pid: Number(pid), args }));
}

/** Lists the processes that hold connections to hosts of that sshd's ssh_config. */
async function masters(sshd: Sshd): Promise<{ pid: number; args: string }[]> {
  return (await clientProcesses(sshd)).filter(({ args }) => /^(?:\S+\/)?ssh .* -N /.test(args));
}

export async function masterPids(sshd: Sshd): Promise<number[]> {
  return (await masters(sshd)).map(({ pid }) => pid);
}

/** Lists the paths of the sockets of those connections. */
export async function masterSockets(sshd: Sshd): Promise<string[]> {
  return (await masters(sshd)).map(({ args }) => / -S (\S+)/.exec(args)?.[1] ?? "");
}
