import { createHash } from "node:crypto";

/** Returns the SHA-256 of the content in hexadecimal digits, or the first `length` of them. */
export function sha256(content: string | Uint8Array, length?: number): string {
  return createHash("sha256").update(content).digest("hex").slice(0, length);
}
