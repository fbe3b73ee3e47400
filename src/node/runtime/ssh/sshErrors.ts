import { plainText } from "@/common/text";
import {
  connectionCut,
  connectionRefused,
  connectionTimedOut,
  hostKeyChanged,
  hostKeyUnknown,
  hostUnknown,
  hostUnreachable,
  loginRefused,
  loginTimedOut,
  SSH_CLOSED,
  SSH_MISSING,
  sshConfigInvalid,
  sshConfigWritable,
  sshFailed,
} from "@/node/runtime/messages";
import { sshByHand, type SshTarget } from "@/node/runtime/ssh/sshTarget";

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
    message: (host, command, [keyFile]) => hostKeyChanged(host, command, keyFile),
  },
  {
    pattern: /Host key verification failed|No \S+ host key is known/,
    code: "EHOSTKEY",
    message: hostKeyUnknown,
  },
  {
    pattern: /Permission denied(?: \(([^)]*)\))?|Too many authentication failures/,
    code: "EAUTH",
    message: (host, command, [methods]) => loginRefused(host, command, methods),
  },
  { pattern: /Could not resolve hostname/, code: "ENOTFOUND", message: hostUnknown },
  { pattern: /Connection refused/, code: "ECONNREFUSED", message: connectionRefused },
  {
    pattern: /No route to host|Network is unreachable|Host is down/,
    code: "EHOSTUNREACH",
    message: hostUnreachable,
  },
  {
    pattern: /Timeout, server \S+ not responding/,
    code: "ETIMEDOUT",
    message: connectionTimedOut,
  },
  { pattern: /timed out/i, code: "ETIMEDOUT", message: loginTimedOut },
  {
    pattern: /Bad owner or permissions on (\S+)|(Can't open user config file .*)/,
    code: "ECONFIG",
    message: (_host, _command, [file, missing = ""]) =>
      file === undefined ? missing : sshConfigWritable(file),
  },
  {
    pattern: /^(.* line \d+: .*)$/m,
    code: "ECONFIG",
    message: (_host, _command, [line = ""]) => sshConfigInvalid(line),
  },
  {
    pattern: /closed by|reset by peer|Broken pipe|Connection to \S+ closed/i,
    code: "ECONNRESET",
    message: connectionCut,
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
  return { code: "ECONNRESET", message: sshFailed(target.host, command, lastLine) };
}

/** Returns the failure for a system without OpenSSH. */
export function noSsh(): SshFailure {
  return { code: "ENOENT", message: SSH_MISSING };
}

/** The failure of a session whose connection this program has closed. */
export const CLOSED: SshFailure = { code: "ECANCELED", message: SSH_CLOSED };
