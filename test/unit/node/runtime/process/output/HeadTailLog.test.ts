import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MIB } from "@/common/limits";
import { HeadTailLog } from "@/node/runtime/process/output/LogWriter";
import { execFileAsync } from "@test/helpers/process/processes";
import { tempDir } from "@test/helpers/tempDir";

async function logged(
  keepBytes: number,
  chunks: readonly (string | Uint8Array)[],
  { before = "", path }: { before?: string; path?: string } = {}
): Promise<Buffer> {
  const file = path ?? join(await tempDir(), "log");
  if (before !== "") await writeFile(file, before);
  const log = await HeadTailLog.open(file, keepBytes);
  for (const chunk of chunks) await log.append([Buffer.from(chunk)]);
  await log.close();
  return await readFile(file);
}

const LEFT_OUT = /^\[… (\d+) bytes left out …\]$/m;
const line = (n: number): string => `line ${String(n).padStart(9, "0")}\n`;
const block = (n: number): string =>
  Array.from({ length: 10_000 }, (_, k) => line(n * 10_000 + k)).join("");

test("output is written to a private file in new folders", async () => {
  const path = join(await tempDir(), "a", "b", "log");
  await logged(10, ["x"], { path });
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

const X = "x".repeat(80);

test.each<[what: string, keepBytes: number, chunks: string[], text: string]>([
  ["that fits is appended to the last byte", 10, ["01234", "56789"], "0123456789"],
  ["is kept if its omitted part would be shorter than the notice", 10, [X.slice(45)], X.slice(45)],
  [
    "that is too long keeps its first and its last half, with a notice between them (G11)",
    10,
    ["0123456789", X, "abcdefghij"],
    "01234\n[… 90 bytes left out …]\nfghij",
  ],
  [
    "has the notice on a separate line, and breaks no character (G11)",
    16,
    ["1\n34567ü", X, "€23456\n"],
    "1\n34567\n[… 85 bytes left out …]\n23456\n",
  ],
])("output %s", async (_, keepBytes, chunks, text) => {
  const written = await logged(keepBytes, chunks, { before: "ours\n" });
  expect(written.toString()).toBe(`ours\n${text}`);
});

describe("output that is too long (G11)", () => {
  test("is shortened while it is written, and every byte is counted", async () => {
    const path = join(await tempDir(), "log");
    const log = await HeadTailLog.open(path, MIB);
    let largest = 0;
    for (let n = 0; n < 100; n++) {
      await log.append([Buffer.from(block(n))]);
      largest = Math.max(largest, (await stat(path)).size);
    }
    await log.close();
    expect(largest).toBeLessThan(3.2 * MIB);
    const text = await readFile(path, "utf8");
    const [, lost] = LEFT_OUT.exec(text) ?? [];
    const [head = "", tail = ""] = text.split(/\n?\[….*…\]\n/);
    expect(head).toBe(block(0).concat(block(1), block(2), block(3)).slice(0, head.length));
    expect(tail.endsWith(line(999_999))).toBe(true);
    expect([head.length, tail.length]).toEqual([MIB / 2, MIB / 2]);
    expect(Number(lost)).toBe(100 * 150_000 - MIB);
  });

  test("leaves a valid file if the host dies meanwhile", async () => {
    const path = join(await tempDir(), "log");
    const log = await HeadTailLog.open(path, MIB);
    for (let n = 0; n < 57; n++) await log.append([Buffer.from(block(n))]);
    const lines = (await readFile(path, "utf8"))
      .split("\n")
      .filter((text) => /^line \d{9}$/.test(text));
    expect(lines).toEqual([...lines].sort());
    expect(lines.at(-1)).toBe(line(569_999).trim());
    await log.close();
  });

  test("results in the same file regardless of its chunks", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 300 }),
        fc.nat(40),
        fc.array(fc.nat(300), { maxLength: 6 }),
        async (bytes, keepBytes, cuts) => {
          const edges = [0, ...cuts, 300].sort((a, b) => a - b);
          const chunks = edges.slice(1).map((edge, n) => bytes.subarray(edges[n], edge));
          const text = await logged(keepBytes, chunks);
          expect(text.equals(await logged(keepBytes, [bytes]))).toBe(true);
          expect(text.length).toBeLessThanOrEqual(keepBytes + 40);
        }
      ),
      { numRuns: 60 }
    );
  });
});

test("a path that is not a file is rejected, a FIFO without waiting for its other end", async () => {
  const path = join(await tempDir(), "fifo");
  await execFileAsync("mkfifo", [path]);
  await expect(HeadTailLog.open(path, 10)).rejects.toMatchObject({ code: "EINVAL" });
  await expect(HeadTailLog.open(await tempDir(), 10)).rejects.toMatchObject({ code: "EISDIR" });
});
