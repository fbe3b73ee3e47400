// `make test-mux MUX_DIST=/path/to/mux`: the scenarios of test/host/scenarios in a Mux that was built from its source.
// The model is a script on loopback; home, projects and the host's own folders are temporary.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const repository = fileURLToPath(new URL("..", import.meta.url));
const [named = process.env.MUX_DIST ?? "", ...filters] = process.argv.slice(2);
const given = resolve(named);
const host = basename(given) === "dist" ? dirname(given) : given;

if (named === "" || !existsSync(join(host, "dist", "cli", "index.js"))) {
  console.error("Usage: make test-mux MUX_DIST=<a built Mux, with dist/cli/index.js in it>");
  process.exit(2);
}

const vitest = join(repository, "node_modules", "vitest", "vitest.mjs");
const files = (filters.length > 0 ? filters : [""]).map((name) => `test/host/scenarios/${name}`);
const args = ["run", "--reporter=verbose", "--testTimeout=120000", ...files];
spawn(process.execPath, [vitest, ...args], {
  cwd: repository,
  env: { ...process.env, MUX_DIST: host },
  stdio: "inherit",
}).on("exit", (code) => {
  process.exitCode = code ?? 1;
});
