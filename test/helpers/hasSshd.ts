import { existsSync } from "node:fs";

export const SSHD = "/usr/sbin/sshd";

/**
 * Whether this machine has an sshd to test with. Where it has none that is said, and what needs it is left out; but
 * where `CI` is set it is a failure.
 */
export function hasSshd(): boolean {
  if (existsSync(SSHD)) return true;
  if (process.env.CI) throw new Error(`${SSHD} is missing; install openssh-server`);
  console.warn(`skipped: what runs over SSH, for ${SSHD} is missing; install openssh-server`);
  return false;
}
