/**
 * Computes SHA-256: for short content without `node:crypto`, which takes several milliseconds to load, and for long
 * content with it.
 */
import { sha256 as digestOf } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { KIB } from "@/common/limits";

/** Longer content is hashed by Node, which is twenty times as fast once it is loaded. */
const MAX_SHORT = 64 * KIB;

/** Returns the SHA-256 of the content in hexadecimal digits, or the first `length` of them. */
export function sha256(content: string | Uint8Array, length?: number): string {
  const digits =
    content.length > MAX_SHORT
      ? process.getBuiltinModule("node:crypto").createHash("sha256").update(content).digest("hex")
      : bytesToHex(digestOf(typeof content === "string" ? utf8ToBytes(content) : content));
  return digits.slice(0, length);
}
