/** Trust in every agent host: what runs, and what the agent and the user get (G24a). */
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { matrixTable, MATRIX_HOSTS, play, SITUATIONS } from "@test/helpers/gauntlet/trustMatrix";

const PAGE = new URL("../../../../docs/security.md", import.meta.url);

test("the hosts of the documentation are in the matrix (G24a)", () => {
  const documented = ["claude", "codex", "gemini", "qwen", "copilot", "opencode", "Mux"];
  expect(MATRIX_HOSTS.map(({ name }) => name)).toEqual(expect.arrayContaining(documented));
});

test("docs/security.md has the table of the situations (G24a)", async () => {
  const page = (await readFile(PAGE, "utf8")).replaceAll(/ +/g, " ");
  expect(page).toContain(matrixTable());
});

/** One that blocks and shows a text, for a host whose command decides as that of the first host does. */
const TEXTS = SITUATIONS.filter(({ name }) => /^definitions .* changes/.test(name));

describe.each(MATRIX_HOSTS)("in $name", (host) => {
  const decidesAlone = ["claude", "opencode", "Mux"].includes(host.name);
  test.each(decidesAlone ? SITUATIONS : TEXTS)("$name (G24a)", async (situation) => {
    const { runs, agent, person } = situation;
    const { ran, blocks, reason, forPerson } = await play(situation, host);
    expect([...new Set(ran)]).toEqual(runs[1] === undefined ? [] : [runs[1]]);
    expect(blocks).toBe(agent[1] !== undefined);
    if (agent[1] !== undefined) expect(reason).toMatch(agent[1]);
    if (person[0] === "nothing") expect(forPerson.trim()).toBe("");
    if (person[1] !== undefined && host.shows(blocks)) expect(forPerson).toMatch(person[1]);
  });
});
