import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { sha256 } from "@/common/hash";

const ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

test("returns the digits of the UTF-8 bytes of short and long content, 64 unless a length is given", () => {
  expect(sha256("abc")).toBe(ABC);
  expect(sha256("abc", 16)).toBe(ABC.slice(0, 16));
  expect(sha256("é", 32)).toBe(sha256(Buffer.from("é"), 32));
  const long = "é".repeat(100_000);
  expect(sha256(long)).toBe(createHash("sha256").update(long).digest("hex"));
});
