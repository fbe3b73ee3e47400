import type { SshTarget } from "@/node/runtime/ssh/sshTarget";

/** Which machine, and how to get there. */
export interface SshDestination {
  readonly target: Omit<SshTarget, "path">;
  /** An ssh_config in place of the user's own, as `ssh -F` takes it. */
  readonly config?: string;
  /** `Keyword=value`, each as `ssh -o` takes it; they count before ours and before the ssh_config. */
  readonly settings?: readonly string[];
  /** What ssh finds in its environment, by default what this program does. */
  readonly env?: Readonly<NodeJS.ProcessEnv>;
}

/** It never asks, and a link that was cut is noticed within {@link LOST_AFTER_S} seconds. */
const MASTER = [
  "ControlMaster=yes",
  "ControlPersist=no",
  "ConnectTimeout=10",
  "ServerAliveInterval=5",
  "ServerAliveCountMax=3",
  "LogLevel=INFO",
];

const SESSION = [
  "ControlMaster=no",
  "ControlPersist=no",
  // Without its master ssh would make a connection of its own: slowly, and with nobody to hear its words.
  "ProxyCommand=false",
  "ForwardX11=no",
  "LogLevel=ERROR",
];

const BOTH = [
  "BatchMode=yes",
  // What the ssh_config wants of these is for a person's own sessions; a port can be forwarded once.
  "ClearAllForwardings=yes",
  "PermitLocalCommand=no",
  "RemoteCommand=none",
  "RequestTTY=no",
];

/** The one connection, which the sessions share by its socket. */
export function masterArguments(connection: SshDestination, socket: string): string[] {
  return [...common(connection, socket, MASTER), "-N", ...destination(connection)];
}

/** One line for the login shell of the other side. */
export function sessionArguments(
  connection: SshDestination,
  socket: string,
  line: string
): string[] {
  return [...common(connection, socket, SESSION), ...destination(connection), line];
}

/** Nothing may pop up a window to ask for a password. */
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
