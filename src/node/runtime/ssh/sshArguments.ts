import type { SshTarget } from "@/node/runtime/ssh/sshTarget";

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

const SESSION = [
  "ControlMaster=no",
  "ControlPersist=no",
  // Without its master, ssh would make a connection of its own. ssh often exits before it has printed the reason for its
  // failure, so this command prints one. The line works in every login shell.
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

/** Returns the arguments of the one connection that the sessions share through its socket. */
export function masterArguments(connection: SshDestination, socket: string): string[] {
  return [...common(connection, socket, MASTER), "-N", ...destination(connection)];
}

/** Returns the arguments that run one line in the other machine's login shell. */
export function sessionArguments(
  connection: SshDestination,
  socket: string,
  line: string
): string[] {
  return [...common(connection, socket, SESSION), ...destination(connection), line];
}

/** Returns an environment in which ssh opens no window to ask for a password. */
export function sshEnvironment({ env = process.env }: SshDestination): NodeJS.ProcessEnv {
  return { ...env, SSH_ASKPASS_REQUIRE: "never", SSH_ASKPASS: "/bin/false" };
}

function common(
  { config, settings = [] }: SshDestination,
  socket: string,
  ours: readonly string[]
): string[] {
  const all = [...settings, ...ours, ...BOTH];
  const file = config === undefined ? [] : ["-F", config];
  return [...file, "-T", "-S", socket, ...all.flatMap((setting) => ["-o", setting])];
}

function destination({ target: { user, host, port } }: SshDestination): string[] {
  return [
    ...(port === undefined ? [] : ["-p", String(port)]),
    ...(user === undefined ? [] : ["-l", user]),
    "--",
    host,
  ];
}
