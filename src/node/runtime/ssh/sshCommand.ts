/** Builds the command lines of `ssh`, starts it, and explains its error messages with the next step (H35). */
import { type SshTarget, sshByHand } from "@/node/runtime/ssh/sshTarget";
import type { Result } from "neverthrow";
import { type ProcessGroup, spawnGroup } from "@/node/runtime/process/spawnGroup";
import { plainText } from "@/common/safeText";

/** A machine and how to connect to it. */
export interface SshDestination extends SshOptions {
  readonly target: Omit<SshTarget, "path">;
}

export interface SshOptions {
  /** An ssh_config that replaces the user's own, as for `ssh -F`. */
  readonly config?: string;
  /** `Keyword=value` options, as for `ssh -o`. They take precedence over this program's own and over the ssh_config. */
  readonly settings?: readonly string[];
  /** The environment of ssh, by default this program's own. */
  readonly env?: Readonly<NodeJS.ProcessEnv>;
}

/** Options of the master. It detects a broken connection after 15 s (ServerAliveInterval × ServerAliveCountMax). */
const MASTER = [
  "ControlMaster=yes",
  "ControlPersist=no",
  "ConnectTimeout=10",
  "ServerAliveInterval=5",
  "ServerAliveCountMax=3",
  "LogLevel=INFO",
];

/** Printed by the ssh of a session that did not reach the connection's process. */
export const NO_CONNECTION = "mux-stop-hooks: no connection";

/** Options of a session, which uses the connection of the master. */
const SESSION = [
  "ControlMaster=no",
  "ControlPersist=no",
  // Without its master, ssh would make a connection of its own. ssh often exits before it has printed the reason for
  // its failure, so this command prints one. The line works in every login shell.
  `ProxyCommand=sh -c 'echo "${NO_CONNECTION}" >&2'`,
  "ForwardX11=no",
  "LogLevel=ERROR",
];

const BOTH = [
  "BatchMode=yes",
  // The ssh_config sets these for the user's own sessions. A port can be forwarded only once.
  "ClearAllForwardings=yes",
  "PermitLocalCommand=no",
  "RemoteCommand=none",
  "RequestTTY=no",
];

/**
 * Returns the arguments of a session, which runs one line in the other machine's login shell; without a line, those of
 * the one connection that the sessions share through its socket.
 */
export function sshArguments(
  { config, settings = [], target: { user, host, port } }: SshDestination,
  socket: string,
  line?: string
): string[] {
  const ours = line === undefined ? MASTER : SESSION;
  return [
    ...(config === undefined ? [] : ["-F", config]),
    ...["-T", "-S", socket],
    ...[...settings, ...ours, ...BOTH].flatMap((setting) => ["-o", setting]),
    ...(line === undefined ? ["-N"] : []),
    ...(port === undefined ? [] : ["-p", String(port)]),
    ...(user === undefined ? [] : ["-l", user]),
    ...["--", host],
    ...(line === undefined ? [] : [line]),
  ];
}

/** Starts ssh, or a shell that starts it, in an environment in which it opens no window to ask for a password. */
export async function startSsh(
  file: string,
  args: readonly string[],
  { env = process.env }: SshDestination
): Promise<Result<ProcessGroup, unknown>> {
  const silent = { ...env, SSH_ASKPASS_REQUIRE: "never", SSH_ASKPASS: "/bin/false" };
  return await spawnGroup({ file, args, cwd: "/", env: silent }, { holdStdin: true });
}

/** Why a connection failed or was lost, with a message that includes the next step. */
export interface SshFailure {
  readonly code: string;
  readonly message: string;
}

interface KnownFailure {
  readonly pattern: RegExp;
  readonly code: string;
  /**
   * @param command the command that a user runs to connect
   * @param found the groups of the pattern
   */
  readonly message: (
    host: string,
    command: string,
    found: readonly (string | undefined)[]
  ) => string;
}

/** The first match counts, because the last lines of ssh are often the same for every failure. */
const KNOWN: readonly KnownFailure[] = [
  {
    pattern: /REMOTE HOST IDENTIFICATION HAS CHANGED(?:[^]*Offending .* key in (\S+))?/,
    code: "EHOSTKEY",
    message: (host, command, [keyFile = "known_hosts"]) =>
      `the host key of ${host} has changed, so it may be a different machine; if you expect the change, remove the old key from ${keyFile} and run "${command}" once in a terminal`,
  },
  {
    pattern: /Host key verification failed|No \S+ host key is known/,
    code: "EHOSTKEY",
    message: (host, command) =>
      `the host key of ${host} is not known on this machine; run "${command}" once in a terminal and accept the key`,
  },
  {
    pattern: /Permission denied(?: \(([^)]*)\))?|Too many authentication failures/,
    code: "EAUTH",
    message: (host, command, [methods = ""]) =>
      `${host} refused the login${methods && ` (it accepts ${methods})`}; ssh runs without prompts, so add a key with ssh-add or in ~/.ssh/config, and check that "${command}" connects without a prompt`,
  },
  {
    pattern: /Could not resolve hostname/,
    code: "ENOTFOUND",
    message: (host) =>
      `the host name ${host} cannot be resolved; use a name from ~/.ssh/config or from DNS`,
  },
  {
    pattern: /Connection refused/,
    code: "ECONNREFUSED",
    message: (host) =>
      `${host} refused the connection; check that sshd runs on it and listens on the port that you use`,
  },
  {
    pattern: /No route to host|Network is unreachable|Host is down/,
    code: "EHOSTUNREACH",
    message: (host) => `${host} cannot be reached from this machine; check the network and the VPN`,
  },
  {
    pattern: /Timeout, server \S+ not responding/,
    code: "ETIMEDOUT",
    message: (host) => `the connection to ${host} was lost because ${host} stopped responding`,
  },
  {
    pattern: /timed out/i,
    code: "ETIMEDOUT",
    message: (host) =>
      `${host} did not respond in time; check that the machine is on, and check the network`,
  },
  {
    pattern: /Bad owner or permissions on (\S+)|(Can't open user config file .*)/,
    code: "ECONFIG",
    message: (_host, _command, [file, missing = ""]) =>
      file === undefined
        ? missing
        : `ssh rejects ${file} because other users may write to it; run "chmod go-w ${file}"`,
  },
  {
    pattern: /^(.* line \d+: .*)$/m,
    code: "ECONFIG",
    message: (_host, _command, [line = ""]) => `ssh cannot read its configuration: ${line}`,
  },
  {
    pattern: /closed by|reset by peer|Broken pipe|Connection to \S+ closed/i,
    code: "ECONNRESET",
    message: (host) => `the connection to ${host} was closed unexpectedly`,
  },
];

/** Explains from the output of ssh why it failed, with the next step (H35). */
export function explainSsh(stderr: string, target: Omit<SshTarget, "path">): SshFailure {
  const output = plainText(stderr.replaceAll("\r", "")).trim();
  const command = sshByHand(target);
  for (const { pattern, code, message } of KNOWN) {
    const found = pattern.exec(output);
    if (found !== null) return { code, message: message(target.host, command, found.slice(1)) };
  }
  const lastLine = output.split("\n").at(-1) ?? "";
  const detail = lastLine === "" ? "without a message" : `with “${lastLine}”`;
  const message = `the connection to ${target.host} failed ${detail}; run "${command}" in a terminal to see why`;
  return { code: "ECONNRESET", message };
}

/** Returns the failure for a system without OpenSSH. */
export function noSsh(): SshFailure {
  return { code: "ENOENT", message: "ssh is not on the PATH; install the OpenSSH client" };
}

/** The failure of a session whose connection this program has closed. */
export const CLOSED: SshFailure = { code: "ECANCELED", message: "the SSH connection was closed" };
