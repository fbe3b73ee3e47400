/** Returns 24 letters and digits for the name of a file. Unique, but not secret: whoever lists the folder can read it. */
export function uniqueName(): string {
  return randomPart() + randomPart();
}

function randomPart(): string {
  return Math.random().toString(36).slice(2, 14).padEnd(12, "0");
}
