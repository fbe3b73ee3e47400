/** Creates random names: unique ones for files at little cost, and ones that another user cannot guess. */

/**
 * Returns 32 hexadecimal digits for the name of a file. Unique, but not secret: a user who lists the folder can read
 * it. Does not load `node:crypto`, which takes several milliseconds.
 */
export function uniqueName(): string {
  const digits = (): string => Math.floor(Math.random() * 2 ** 32).toString(16);
  return Array.from({ length: 4 }, () => digits().padStart(8, "0")).join("");
}

/** Returns random hexadecimal digits, two for each byte, that another user cannot guess. Loads `node:crypto`. */
export function randomHex(bytes: number): string {
  return process.getBuiltinModule("node:crypto").randomBytes(bytes).toString("hex");
}
