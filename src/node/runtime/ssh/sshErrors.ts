import { plainText } from "@/common/text";
import { sshByHand, type SshTarget } from "@/node/runtime/ssh/sshTarget";

/** Why a connection failed or was lost, with a message that includes the next step. */
export interface SshFailure {
  readonly code: string;
  readonly message: string;
}

interface KnownFailure {
  readonly pattern: RegExp;
  readonly code: string;
  /** @param found the groups of the pattern */
  readonly words: (name: string, byHand: string, found: readonly (string | undefined)[]) => string;
}

/** The first match counts, because the last lines of ssh are often the same for every failure. */
const KNOWN: readonly KnownFailure[] = [
  {
    pattern: /REMOTE HOST IDENTIFICATION HAS CHANGED(?:[^]*Offending .* key in (\S+))?/,
    code: "EHOSTKEY",
    words: (name, byHand, [place = "known_hosts"]) =>
      `the host key of ${name} has changed, so it may be another machine than before; where you know why, take the old key out of ${place} and run “${byHand}” once by hand`,
  },
  {
    pattern: /Host key verification failed|No \S+ host key is known/,
    code: "EHOSTKEY",
    words: (name, byHand) =>
      `the host key of ${name} is not known here; run “${byHand}” once by hand and accept it`,
  },
  {
    pattern: /Permission denied(?: \(([^)]*)\))?|Too many authentication failures/,
    code: "EAUTH",
    words: (name, byHand, [methods]) =>
      `${name} refused the login${methods ? ` (it takes ${methods})` : ""}, and nobody is there to be asked; give it a key that needs no answer, by ssh-add or in ~/.ssh/config, until “${byHand}” works without a question`,
  },
  {
    pattern: /Could not resolve hostname/,
    code: "ENOTFOUND",
    words: (name) =>
      `there is no host ${name}; give a name of ~/.ssh/config, or one that the network knows`,
  },
  {
    pattern: /Connection refused/,
    code: "ECONNREFUSED",
    words: (name) => `${name} refused the connection; is sshd running there, and on that port?`,
  },
  {
    pattern: /No route to host|Network is unreachable|Host is down/,
    code: "EHOSTUNREACH",
    words: (name) => `there is no way to ${name} from here; is the network or the VPN up?`,
  },
  {
    pattern: /Timeout, server \S+ not responding/,
    code: "ETIMEDOUT",
    words: (name) => `the connection to ${name} was lost: it no longer answered`,
  },
  {
    pattern: /timed out/i,
    code: "ETIMEDOUT",
    words: (name) => `${name} did not answer in time; is it switched on, and the network up?`,
  },
  {
    pattern: /Bad owner or permissions on (\S+)|(Can't open user config file .*)/,
    code: "ECONFIG",
    words: (_name, _byHand, [file, missing = ""]) =>
      file === undefined
        ? missing
        : `ssh refuses ${file}, since others may write to it; run chmod go-w ${file}`,
  },
  {
    pattern: /^(.* line \d+: .*)$/m,
    code: "ECONFIG",
    words: (_name, _byHand, [line = ""]) => `ssh cannot read its configuration: ${line}`,
  },
  {
    pattern: /closed by|reset by peer|Broken pipe|Connection to \S+ closed/i,
    code: "ECONNRESET",
    words: (name) => `the connection to ${name} was cut`,
  },
];

/** Explains from the output of ssh why it failed, with the next step (H35). */
export function explainSsh(stderr: string, target: Omit<SshTarget, "path">): SshFailure {
  const said = plainText(stderr.replaceAll("\r", "")).trim();
  const byHand = sshByHand(target);
  for (const { pattern, code, words } of KNOWN) {
    const found = pattern.exec(said);
    if (found !== null) return { code, message: words(target.host, byHand, found.slice(1)) };
  }
  const last = said.split("\n").at(-1);
  const detail = last ? `ssh says “${last}”` : "ssh says nothing";
  return {
    code: "ECONNRESET",
    message: `there is no connection to ${target.host}: ${detail}; try “${byHand}” by hand`,
  };
}

/** Returns the failure for a system without OpenSSH. */
export function noSsh(): SshFailure {
  return {
    code: "ENOENT",
    message: "there is no ssh on the PATH; install the OpenSSH client",
  };
}

export const GIVEN_UP: SshFailure = { code: "ECANCELED", message: "the session was given up" };

export const LET_GO: SshFailure = {
  code: "ECANCELED",
  message: "the connection has been let go of",
};
