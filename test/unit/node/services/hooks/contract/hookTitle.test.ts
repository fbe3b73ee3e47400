import { expect, test } from "vitest";
import { hookTitle } from "@/node/services/hooks/contract/hookFacts";

const DEEP = "/home/you/projects/some-company/some-product/tools/hooks/checks";

const titleOf = (command: string, args?: string[]): string =>
  hookTitle({ type: "command", command, args });

test.each([
  [`node "${DEEP}/verify-stop.mjs" --all`, /^node "\/home\/you\/.*…\/verify-stop\.mjs$/],
  [
    `/usr/bin/env python3 '${DEEP} of mine/verify stop.py'`,
    /^\/usr\/bin\/env .*…\/verify stop\.py$/,
  ],
  [`"\${CLAUDE_PLUGIN_ROOT}"${DEEP}/stop.sh`, /^"\$\{CLAUDE_PLUGIN_ROOT\}"\/.*…\/stop\.sh$/],
])("the title of %s has the name of its script (H12)", (command, title) => {
  expect(titleOf(command)).toMatch(title);
  expect(titleOf(command)).toHaveLength(60);
});

test("a script among the arguments of a program is named as well (H12)", () => {
  expect(titleOf("node", [`${DEEP}/verify-stop.mjs`])).toMatch(
    /^node \/home\/you.*…\/verify-stop\.mjs$/
  );
});

test("a very long name of a script is shortened at its beginning (H12)", () => {
  const title = titleOf(`sh ${DEEP}/${"x".repeat(100)}-stop.sh`);
  expect(title).toHaveLength(60);
  expect(title).toMatch(/^sh \/home.*…x+-stop\.sh$/);
});

test("a command without a path is cut at its end (H12)", () => {
  expect(titleOf(`echo ${"x".repeat(100)}`)).toBe(`echo ${"x".repeat(54)}…`);
});

test("a script within the first 60 characters leaves the beginning as it is (H12)", () => {
  const line = `./check.sh ${"--verbose ".repeat(20)}`;
  expect(titleOf(line)).toBe(`${line.slice(0, 59)}…`);
});
