/** Parses `ssh://` URLs of workspaces, and formats them for messages and as the command with which a user connects. */
import { tryOr } from "@/common/errors";
import { isIPv6 } from "node:net";
import { err, ok, type Result } from "neverthrow";

/** A folder on another machine, written as `ssh://[user@]host[:port]/path`. */
export interface SshTarget {
  readonly user?: string;
  /** An alias from the ssh_config, a name or an address; IPv6 without brackets. */
  readonly host: string;
  readonly port?: number;
  /** Absolute, or relative to the login user's home (`~`, `~/…`). */
  readonly path: string;
}

const PARTS = /^ssh:\/\/(?:([^/@]*)@)?(\[[^\]/]*\]|[^/@:[\]]*)(?::([^/@]*))?(\/.*)?$/s;

/**
 * Parses `ssh://[user@]host[:port]/path`. Everything after the host is the path. `/~/path` is relative to the home, and
 * no path means the home itself. User, host and path may be percent-encoded.
 *
 * @returns the target, or a message that explains the error
 */
export function parseSshTarget(text: string): Result<SshTarget, string> {
  const [matched, userPart, hostPart = "", portPart, pathPart = ""] = PARTS.exec(text) ?? [];
  if (matched === undefined) return wrong(text, "expected ssh://[user@]host[:port]/path");
  if (userPart?.includes(":")) return wrong(text, "a password is not supported; log in with a key");
  const user = userPart === undefined ? undefined : decoded(userPart);
  const host = hostPart.startsWith("[") ? bracketed(hostPart) : decoded(hostPart);
  const path = decoded(pathPart);
  if (userPart !== undefined && !isPlainName(user))
    return wrong(text, "the user must be a plain name");
  if (host === undefined || !(isPlainName(host) || isAddress(host))) {
    return wrong(
      text,
      "the host must be a plain name or an address, with an IPv6 address in brackets"
    );
  }
  const port = portPart === undefined ? undefined : Number(portPart);
  if (port !== undefined && !(/^\d+$/.test(portPart ?? "") && port >= 1 && port <= 65_535)) {
    return wrong(text, "the port must be a number from 1 to 65535");
  }
  if (path === undefined || /[\0\r\n]/.test(path)) {
    return wrong(
      text,
      "the path is not percent-encoded UTF-8, or contains a line break or a NUL byte"
    );
  }
  return ok({ user, host, port, path: path.replace(/^\/(?=~(\/|$))/, "") || "~" });
}

/** Returns the machine's name for messages: `ssh://user@host:port`. */
export function sshLabel({ user, host, port }: Omit<SshTarget, "path">): string {
  const who = user === undefined ? "" : `${user}@`;
  const where = host.includes(":") ? `[${host}]` : host;
  return `ssh://${who}${where}${port === undefined ? "" : `:${port}`}`;
}

/** Returns the command that a user runs to connect. */
export function sshByHand({ user, host, port }: Omit<SshTarget, "path">): string {
  const who = user === undefined ? "" : `${user}@`;
  return `ssh ${port === undefined ? "" : `-p ${port} `}${who}${host}`;
}

function wrong(text: string, why: string): Result<never, string> {
  return err(`“${text}” is not an SSH workspace: ${why}`);
}

function decoded(text: string): string | undefined {
  return tryOr(() => decodeURIComponent(text), undefined);
}

function bracketed(text: string): string | undefined {
  const address = decoded(text.slice(1, -1));
  return address !== undefined && isAddress(address) ? address : undefined;
}

function isAddress(text: string): boolean {
  return isIPv6(text) && /^[0-9a-f:.]+(%[\w.-]+)?$/i.test(text);
}

/**
 * Returns whether a user or host is safe. Both are part of the command line of ssh, where a leading `-` would be an
 * option. The `%h` and `%r` of an ssh_config put them into lines that a shell reads.
 */
function isPlainName(text: string | undefined): text is string {
  return text !== undefined && /^[\p{L}\p{N}_.][\p{L}\p{N}_.+-]*$/u.test(text);
}
