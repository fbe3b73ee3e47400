import { execFileSync } from "node:child_process";
import { stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { announceHost, readArgumentsAsNode, withoutPreload } from "@/host/loading/hidePreload";
import { repository } from "@test/helpers/freshBuild";
import { folderWith, tempDir } from "@test/helpers/tempDir";

const FILE = "/opt/mux-stop-hooks/dist/host/register.cjs";

test.each([
  [`--require=${FILE}`, undefined],
  [`--require ${FILE}`, undefined],
  [`-r mux-stop-hooks/register`, undefined],
  [`"--require" "${FILE}"`, undefined],
  [`"--require=${FILE}"`, undefined],
  [`--import=mux-stop-hooks/register`, undefined],
  [
    `--max-old-space-size=100 --require=${FILE} --enable-source-maps`,
    "--max-old-space-size=100 --enable-source-maps",
  ],
  [`--require=other.cjs -r ${FILE} -r "a b.cjs"`, '--require=other.cjs -r "a b.cjs"'],
  ["--require=other.cjs", "--require=other.cjs"],
  [undefined, undefined],
])("withoutPreload reduces %s to %s for children of the host", (options, left) => {
  const env: NodeJS.ProcessEnv = { NODE_OPTIONS: options };
  withoutPreload(env, [], FILE);
  expect(env.NODE_OPTIONS).toBe(left);
});

test("announceHost reports the start in a private file, and hides its variable from children", async () => {
  const file = join(await tempDir(), "seen");
  const env: NodeJS.ProcessEnv = { MUX_HOOKS_SEEN: file, ELECTRON_RUN_AS_NODE: "1" };
  announceHost(env);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(env).toEqual({});
});

const REGISTER = join(repository, "dist", "host", "register.cjs");
/** Prints the options that a forked child received. The first argument sets whether it is a host. */
const PROGRAM = `
const { fork } = require("node:child_process");
if (process.argv[2] === "host") require("./dist/node/services/aiService.js");
if (process.argv[2] === "child") {
  process.send({ execArgv: process.execArgv, options: process.env.NODE_OPTIONS ?? "" });
} else {
  fork(__filename, ["child"]).on("message", (got) => console.log(JSON.stringify(got)));
}`;

test.each([
  ["--require", (link: string) => [`--require=${link}`]],
  ["--import", (link: string) => ["--import", `file://${link}`]],
])(
  "%s of a symbolic link reaches the children of a launcher, but not those of a host (H23a)",
  async (_, options) => {
    const files = { "program.cjs": PROGRAM, "dist/node/services/aiService.js": "" };
    const dir = await folderWith(files);
    const link = join(dir, "register.cjs");
    const program = join(dir, "program.cjs");
    await symlink(REGISTER, link);
    const { NODE_OPTIONS: __, ...env } = process.env;
    const run = (kind: string, args: readonly string[], more: NodeJS.ProcessEnv): unknown =>
      JSON.parse(
        execFileSync(process.execPath, [...args, program, kind], {
          env: { ...env, ...more },
          encoding: "utf8",
          stdio: ["ignore", "pipe", "ignore"],
        })
      );
    const left = { execArgv: [], options: "" };
    const NODE_OPTIONS = options(link).join(" ");
    expect(run("host", options(link), {})).toEqual(left);
    expect(run("host", [], { NODE_OPTIONS })).toEqual(left);
    expect(run("launcher", options(link), {})).toEqual({ ...left, execArgv: options(link) });
    expect(run("launcher", [], { NODE_OPTIONS })).toEqual({ ...left, options: NODE_OPTIONS });
  }
);

test.each([
  ["a packaged app as Node", "30.0.0", "1", "/o/app.asar/dist/cli/index.js", true],
  ["another script of it", "30.0.0", "1", "/o/app.asar/other.js", undefined],
  ["a packaged app with a window", "30.0.0", undefined, "/o/app.asar/dist/cli/index.js", undefined],
  ["Node", undefined, "1", "/o/app.asar/dist/cli/index.js", undefined],
])(
  "skips the path of a script only in a packaged app that runs as Node: %s",
  (_, electron, asNode, script, expected) => {
    const host = {
      versions: { electron },
      env: { ELECTRON_RUN_AS_NODE: asNode },
      argv: ["node", script],
      defaultApp: undefined as boolean | undefined,
    };
    readArgumentsAsNode(host as unknown as Parameters<typeof readArgumentsAsNode>[0]);
    expect(host.defaultApp).toBe(expected);
  }
);
