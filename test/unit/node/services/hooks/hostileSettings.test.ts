/** Settings files of a hostile checkout (H20a). */
import { expect, test } from "vitest";
import { UNTRUSTED } from "@test/helpers/hooks/hookProject";
import {
  hooks,
  listHooks,
  listProblems,
  SettingsProject,
} from "@test/helpers/hooks/settingsProject";
import { expectLinear } from "@test/helpers/process/cpuTime";

const list = (unit: (n: number) => string, maxChars = 250 * 1024): string => {
  const items: string[] = [];
  for (let length = 0; length < maxChars; length += items.at(-1)!.length + 1) {
    items.push(unit(items.length));
  }
  return items.join(",");
};
const ofStop = (handlers: string): string => `{"hooks":{"Stop":[{"hooks":[${handlers}]}]}}`;

const headers = list((n) => `"h${n}":1`, 240_000);

test.each([
  ["wrong headers", ofStop(`{"type":"http","url":"http://x/","headers":{${headers}}}`)],
  ["handlers", ofStop(list((n) => `{"type":"command","command":"x${n}"}`))],
  ["one handler with many keys", ofStop(list((n) => `{"type":"command","command":"x","k${n}":1}`))],
  ["entries that are not handlers", ofStop(list(() => "1"))],
  ["gauntlets", ofStop(list(() => `{"type":"builtin","name":"gauntlet","enabled":false}`))],
  ["brackets", "[".repeat(900_000)],
  ["braces", '{"a":'.repeat(180_000)],
  ["brackets that are closed", "[".repeat(500_000) + "]".repeat(500_000)],
  ["commas", `[${",".repeat(900_000)}]`],
  ["variables", JSON.stringify(hooks("${".repeat(400_000)))],
  ["runners", JSON.stringify(hooks("{ ! npx ".repeat(100_000)))],
])(
  "a hostile file of the largest size with %s takes a bounded time and at most 50 diagnostics and a count (H5)",
  async (_, text) => {
    const project = await SettingsProject.create({ user: hooks("ok"), project: text });
    await project.write("project/.mux/stop", "#!/bin/sh\n", 0o755);
    for (const trust of [undefined, UNTRUSTED]) {
      const settings = await expectLinear(() => project.load({ trust }));
      expect(listHooks(settings)[0]).toBe("user:Stop[0] ok");
      expect(settings.diagnostics.length).toBeLessThanOrEqual(51);
    }
  }
);

test("counts the first 500 handlers of a file, and names the first that is skipped (H20a)", async () => {
  const text = ofStop(list((n) => `{"type":"command","command":"x${n}"}`, 60 * 1024));
  const project = await SettingsProject.create({ project: text });
  const settings = await project.load();
  expect(settings.hooks).toHaveLength(500);
  expect(listProblems(project, settings)).toEqual([
    expect.stringContaining("hooks.Stop[0].hooks[500]: a file may have at most 500 handlers"),
  ]);
});

test.each([
  ["numbers", (count: number) => Array<string>(count).fill("1").join()],
  ["empty lists", (count: number) => `${"[],".repeat(count - 2)} {"b" : 1,} , `],
  ["strings with quotes", (count: number) => String.raw`"\",[", `.repeat(count - 1) + '"\\\\"'],
  ["comments", (count: number) => `// [,\r${"1,".repeat(count - 2)}/* "[, */1 // ]\n, 1`],
])("accepts 10,000 values and refuses one more: %s (H20a)", async (_, textOf) => {
  for (const [count, isRefused] of [
    [10_000, false],
    [10_001, true],
  ] as const) {
    const project = await SettingsProject.create({ project: `{"a": [${textOf(count - 2)}]}` });
    const problems = listProblems(project, await project.load()).join("\n");
    expect(problems).toMatch(isRefused ? /it has more than 10000 values/ : /^$/);
  }
});

test("skips a handler with more than 1000 keys, and reports it (H20a)", async () => {
  const keys = (count: number): string =>
    Array.from({ length: count }, (_, n) => `,"k${n}":1`).join("");
  const project = await SettingsProject.create({
    project: ofStop(
      [998, 999].map((count) => `{"type":"command","command":"x"${keys(count)}}`).join(",")
    ),
  });
  const settings = await project.load();
  expect(settings.hooks).toHaveLength(1);
  expect(listProblems(project, settings)).toEqual([
    expect.stringContaining("hooks.Stop[0].hooks[1]: expected at most 1000 entries"),
  ]);
});
