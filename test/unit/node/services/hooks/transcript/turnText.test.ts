/** The limits of the conversation that a prompt handler gets (H43). */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MIB } from "@/common/limits";
import { LocalFiles } from "@/node/runtime/local/LocalFiles";
import { readTurn } from "@/node/services/hooks/transcript/chatRows";
import { tempDir } from "@test/helpers/tempDir";

const says = (role: string, text: string) => ({ role, parts: [{ type: "text", text }] });

async function turnOf(...rows: object[]): Promise<string> {
  const path = join(await tempDir(), "chat.jsonl");
  await writeFile(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  return await readTurn(new LocalFiles(), path);
}

test("has at most 1,000 characters of the input and of the output of a tool", async () => {
  const call = { type: "dynamic-tool", toolName: "bash", input: "Q".repeat(2_000) };
  const row = { role: "assistant", parts: [{ ...call, output: "Z".repeat(2_000) }] };
  const turn = await turnOf(says("user", "Do it."), row);
  const [input = 0, output = 0] = turn.match(/Q+|Z+/g)?.map(({ length }) => length) ?? [];
  expect([input > 900, output > 900, Math.max(input, output) <= 1_000]).not.toContain(false);
});

test("has at most its last 40,000 characters", async () => {
  const turn = await turnOf(
    says("user", "First."),
    says("assistant", `${"x".repeat(50_000)} Last.`)
  );
  expect(turn.length).toBe(40_000 + "[…]".length);
  expect([turn.startsWith("[…]x"), turn.endsWith("x Last.")]).toEqual([true, true]);
});

test("is read from the last 2 MiB of the transcript, and is empty without one", async () => {
  const rows = [
    says("user", "First."),
    says("assistant", "x".repeat(2 * MIB)),
    says("user", "Last."),
  ];
  expect(await turnOf(...rows)).toBe("User: Last.");
  expect(await turnOf(...rows.slice(0, 2), says("assistant", "Last."))).toBe("Agent: Last.");
  expect(await readTurn(new LocalFiles(), "/no/such/file")).toBe("");
});
