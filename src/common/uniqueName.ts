/**
 * Returns 32 hexadecimal digits for the name of a file. Unique, but not secret: a user who lists the folder can read it.
 * `node:crypto` takes several milliseconds to load.
 */
export function uniqueName(): string {
  return Array.from({ length: 4 }, randomDigits).join("");
}

function randomDigits(): string {
  return Math.floor(Math.random() * 2 ** 32)
    .toString(16)
    .padStart(8, "0");
}
