import { appendFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { MuxChat, readRows } from "@test/helpers/hooks/muxChat";
import { tempDir } from "@test/helpers/tempDir";

const part = fc.oneof(
  fc.record({ type: fc.constantFrom("text", "reasoning"), text: fc.string({ unit: "binary" }) }),
  fc.record(
    {
      type: fc.constant("dynamic-tool"),
      toolCallId: fc.string(),
      toolName: fc.constantFrom("bash", "todo_write", "file_edit_insert", "task", "own"),
      input: fc.oneof(
        fc.record({ todos: fc.array(fc.record({ content: fc.string(), status: fc.string() })) }),
        fc.record({ path: fc.string(), content: fc.string(), script: fc.string() }),
        fc.jsonValue()
      ),
      output: fc.oneof(fc.record({ success: fc.boolean(), output: fc.string() }), fc.jsonValue()),
    },
    { requiredKeys: ["type", "toolName"] }
  ),
  fc.jsonValue()
);

const metadata = fc.record(
  {
    historySequence: fc.nat(20),
    timestamp: fc.nat(),
    model: fc.string(),
    synthetic: fc.boolean(),
    compacted: fc.constantFrom("user", "idle", false),
    usage: fc.record({ inputTokens: fc.nat(), outputTokens: fc.nat() }),
    muxMetadata: fc.constantFrom({ stopHookActive: true }, { type: "compaction-request" }),
  },
  { requiredKeys: [] }
);

const row = fc.record(
  {
    id: fc.constantFrom("a", "b", "c"),
    role: fc.constantFrom("user", "assistant", "system"),
    parts: fc.array(part, { maxLength: 4 }),
    metadata,
  },
  { requiredKeys: ["role"] }
);

const line = fc.oneof(
  { weight: 8, arbitrary: row.map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: fc.string({ unit: "binary" }) },
  { weight: 3, arbitrary: row.map((value) => `${JSON.stringify(value)} x`) }
);

/** A chat as bytes, and the positions up to which it was written at each stop. */
const growingChat = fc
  .tuple(fc.array(line, { maxLength: 8 }), fc.boolean())
  .map(([lines, isEnded]) => Buffer.from(lines.join("\n") + (isEnded ? "\n" : "")))
  .chain((bytes) => {
    const anywhere = fc.nat(bytes.length);
    // Up to there a line may be complete, but for what the host writes next.
    const ends = [...bytes.toString("latin1").matchAll(/\}(?=[ \n]|$)/g)].map(
      ({ index }) => index + 1
    );
    const cut = ends.length === 0 ? anywhere : fc.oneof(anywhere, fc.constantFrom(...ends));
    const cuts = fc.array(cut, { maxLength: 6 }).map((list) => list.toSorted((a, b) => a - b));
    return fc.record({ bytes: fc.constant(bytes), cuts });
  });

test("the copy of a growing chat equals that of the whole chat, and has each row once (H37)", async () => {
  const folder = await tempDir();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(growingChat, async ({ bytes, cuts }) => {
      const growing = new MuxChat(join(folder, `growing-${run}.jsonl`), folder);
      const whole = new MuxChat(join(folder, `whole-${run++}.jsonl`), folder);
      await writeFile(growing.path, "");
      let written = 0;
      for (const cut of [...cuts, bytes.length]) {
        await appendFile(growing.path, bytes.subarray(written, cut));
        written = cut;
        await growing.project();
      }
      await writeFile(whole.path, bytes);
      const own = (await growing.project()).own;
      expect(await readFile(own, "utf8")).toBe(await readFile((await whole.project()).own, "utf8"));
      const rows = await readRows(own);
      expect(new Set(rows.map(({ uuid }) => uuid)).size).toBe(rows.length);
      expectChain(rows);
    }),
    { numRuns: 30 }
  );
});

/** The parent of a row is the row before it, except after a compaction. */
function expectChain(rows: Awaited<ReturnType<typeof readRows>>): void {
  rows.forEach((current, i) => {
    const isRoot = i === 0 || current.subtype === "compact_boundary";
    expect(current.parentUuid).toBe(isRoot ? null : rows[i - 1]?.uuid);
  });
}
