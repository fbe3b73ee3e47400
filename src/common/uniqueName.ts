/**
 * Returns 32 hexadecimal digits for the name of a file. Unique, but not secret: a user who lists the folder can read it.
 * `node:crypto` takes several milliseconds to load.
 */
export function uniqueName(): string {
  const digits = (): string => Math.floor(Math.random() * 2 ** 32).toString(16);
  return Array.from({ length: 4 }, () => digits().padStart(8, "0")).join("");
}

/** Returns random hexadecimal digits, two for each byte, that another user cannot guess. Loads `node:crypto` on first use. */
export function randomHex(bytes: number): string {
  return process.getBuiltinModule("node:crypto").randomBytes(bytes).toString("hex");
}
