import { expect, test } from "vitest";
import { withoutPreload } from "@/host/preload";

const FILE = "/opt/mux-stop-hooks/dist/host/register.cjs";

test.each([
  [`--require=${FILE}`, undefined],
  [`--require ${FILE}`, undefined],
  [`-r mux-stop-hooks/register`, undefined],
  [`--require "${FILE}"`, undefined],
  [
    `--max-old-space-size=100 --require=${FILE} --enable-source-maps`,
    "--max-old-space-size=100 --enable-source-maps",
  ],
  [`--require=other.cjs -r ${FILE} -r "a b.cjs"`, '--require=other.cjs -r "a b.cjs"'],
  ["--require=other.cjs", "--require=other.cjs"],
])("of %s children of the host get %s", (options, left) => {
  const env: NodeJS.ProcessEnv = { NODE_OPTIONS: options };
  withoutPreload(env, FILE);
  expect(env.NODE_OPTIONS).toBe(left);
});

test("where there are no options there is nothing to take out", () => {
  const env: NodeJS.ProcessEnv = {};
  withoutPreload(env, FILE);
  expect(env).toEqual({});
});
