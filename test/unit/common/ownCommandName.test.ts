/** The names of this package's commands in texts (G29). */
import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";

/** Texts that describe a command and are not a next step, and texts of a host, in which it has only its name. */
const DESCRIPTIONS = /must be one JSON object|is not a result of|is not trusted with|^host\//;

test("come from shownCommand in every message (G29)", async () => {
  const files = await readdir("src", { recursive: true });
  const messages = files.filter((file) => /messages(?:\/.*)?\.ts$/.test(file));
  const texts = await Promise.all(
    messages.map(async (file) =>
      (await readFile(`src/${file}`, "utf8")).split("\n").map((line) => `${file}: ${line}`)
    )
  );
  const fixed = texts
    .flat()
    .filter((line) => /"(?:agent-gauntlet|mux-hooks|mux-stop-hooks) [a-z]/.test(line));
  expect(fixed.filter((line) => !DESCRIPTIONS.test(line))).toEqual([]);
});
