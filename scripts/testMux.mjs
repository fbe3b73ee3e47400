// `make test-mux MUX_DIST=/path/to/mux`: runs test/host/scenarios in a Mux that was built from its source, or in the
// single-file server of its Docker image, which has no `mux run`.
// The model is a script on loopback. Home, projects and the host's own folders are temporary.
import { spawn } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const repository = fileURLToPath(new URL("..", import.meta.url));
const [named = process.env.MUX_DIST ?? "", ...filters] = process.argv.slice(2);
const given = resolve(named);
const host = basename(given) === "dist" ? dirname(given) : given;
const isBundle = named !== "" && statSync(given, { throwIfNoEntry: false })?.isFile() === true;

if (named === "" || !(isBundle || existsSync(join(host, "dist", "cli", "index.js")))) {
  console.error(
    "Usage: make test-mux MUX_DIST=<a built Mux, with dist/cli/index.js in it, or its server-bundle.js>"
  );
  process.exit(2);
}

const vitest = join(repository, "node_modules", "vitest", "vitest.mjs");
const files = (filters.length > 0 ? filters : [""]).map((name) => `test/host/scenarios/${name}`);
// A file has no tests if the host has none of its commands.
const args = ["run", "--reporter=verbose", "--passWithNoTests", ...files];
spawn(process.execPath, [vitest, ...args], {
  cwd: repository,
  env: { ...process.env, MUX_DIST: host },
  stdio: "inherit",
}).on("exit", (code) => {
  process.exitCode = code ?? 1;
});
