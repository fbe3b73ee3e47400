// `make test-upstream MUX_SRC=/path/to/mux`: applies docs/upstream to a copy of a checkout of Mux, compiles it with
// Mux's own compiler and packages, and runs the scenarios of test/host/upstream without the preload. The checkout needs
// its packages (`bun install`) and its generated sources (`make build-main`).
import { execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const repository = fileURLToPath(new URL("..", import.meta.url));
const [named = process.env.MUX_SRC ?? ""] = process.argv.slice(2);
const source = resolve(named);
if (named === "" || !existsSync(join(source, "src", "version.ts"))) {
  console.error("Usage: make test-upstream MUX_SRC=<a checkout of Mux, after `make build-main`>");
  process.exit(2);
}

/** Packages that the engine adds to those of Mux. */
const ADDED = ["neverthrow", "p-limit", "p-timeout", "yocto-queue"];
const FILES = ["package.json", "src", "tsconfig.json", "tsconfig.main.json"];

/** Runs the commands of docs/upstream/README.md, with links to packages that are installed here. */
function build(options) {
  const folder = mkdtempSync(join(tmpdir(), "mux-upstream-"));
  for (const name of FILES) cpSync(join(source, name), join(folder, name), { recursive: true });
  const modules = join(folder, "node_modules");
  mkdirSync(modules);
  const own = readdirSync(join(source, "node_modules")).filter((name) => !ADDED.includes(name));
  for (const name of own) symlinkSync(join(source, "node_modules", name), join(modules, name));
  for (const name of ADDED) {
    symlinkSync(join(repository, "node_modules", name), join(modules, name));
  }
  const page = readFileSync(join(repository, "docs", "upstream", "README.md"), "utf8");
  const [, recipe = ""] = /^```sh lift\n(.*?)^```/ms.exec(page) ?? [];
  const script = recipe.replaceAll(/^bun .*\n/gm, "");
  const env = { ...process.env, HOOKS: repository };
  run(folder, env, "bash", "-euc", `set -o pipefail\n${script}`);
  const apply = join(repository, "docs", "upstream", "apply.mjs");
  run(folder, env, process.execPath, apply, folder, ...options);
  const bin = (name) => join(modules, ".bin", name);
  run(folder, env, bin("tsgo"), "-p", "tsconfig.main.json");
  run(folder, env, bin("tsc-alias"), "-p", "tsconfig.main.json");
  return folder;
}

function run(cwd, env, file, ...args) {
  execFileSync(file, args, { cwd, env, stdio: "inherit" });
}

/** `hooks` has the consumer of docs/upstream. `points` has only the points, which the preload uses. */
for (const [kind, options] of Object.entries({ hooks: [], points: ["--points"] })) {
  const folder = build(options);
  const vitest = join(repository, "node_modules", "vitest", "vitest.mjs");
  const args = ["run", "--project=local", "--reporter=verbose", "--testTimeout=120000"];
  const env = { ...process.env, MUX_DIST: folder, MUX_UPSTREAM: kind };
  const { status } = spawnSync(process.execPath, [vitest, ...args, "test/host/upstream/"], {
    cwd: repository,
    env,
    stdio: "inherit",
  });
  rmSync(folder, { recursive: true });
  if (status !== 0) process.exitCode = 1;
}
