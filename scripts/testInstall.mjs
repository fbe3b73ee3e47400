// `make test-install`: installs the last commit of this clone from its git URL into an empty folder with an empty home,
// and with `make install-global` into an empty prefix, and starts its commands. npm installs the development dependencies
// and builds, so this takes minutes. Then it installs the packed tarball, and runs the examples of docs/api.md with it on
// each of RUNTIMES, which come from npm: "node@22 bun", for example. INSTALL_ONLY=examples skips the first part.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const repository = fileURLToPath(new URL("..", import.meta.url));
const {
  bin,
  name: packageName,
  version,
} = JSON.parse(readFileSync(join(repository, "package.json"), "utf8"));
const folder = mkdtempSync(join(tmpdir(), "test-install-"));
const [home, project, prefix] = ["home", "project", "prefix"].map((name) => join(folder, name));

const RUNTIMES = (process.env.RUNTIMES ?? "node@20 node@22 node@24 bun deno").split(" ");
const QUIET = ["--no-audit", "--no-fund", "--loglevel=error"];

function run(command, ...args) {
  return runIn(project, {}, command, ...args);
}

function runIn(cwd, more, command, ...args) {
  console.log(`$ ${[command, ...args].join(" ")}`);
  const env = { ...process.env, HOME: home, npm_config_prefix: prefix, ...more };
  const { status } = spawnSync(command, args, { cwd, env, stdio: "inherit", timeout: 600_000 });
  if (status !== 0) process.exitCode = 1;
  return status === 0;
}

function newProject(name) {
  const dir = join(folder, name);
  mkdirSync(dir);
  writeFileSync(join(dir, "package.json"), '{ "private": true }\n');
  return dir;
}

/** Runs the examples of docs/api.md on one runtime, with the package in `installed`. A runtime that npm lacks is skipped. */
function runExamples(runtime, installed) {
  const dir = newProject(runtime);
  const code = process.exitCode;
  if (!runIn(dir, {}, "npm", "install", ...QUIET, runtime)) {
    process.exitCode = code;
    return "skipped: npm could not install it";
  }
  const name = runtime.split("@")[0];
  const program = join(dir, "node_modules", ".bin", name);
  const words =
    name === "deno"
      ? [program, "run", "--allow-all", "--quiet", "--node-modules-dir=manual"]
      : [program];
  const examples = { EXAMPLES_RUNTIME: words.join(" "), EXAMPLES_PACKAGE: installed };
  const vitest = join(repository, "node_modules", ".bin", "vitest");
  const files = ["test/docs/examples.test.ts", "-t", "docs/api.md"];
  return runIn(repository, examples, vitest, "run", "--project", "local", ...files)
    ? "passed"
    : "failed";
}

try {
  mkdirSync(home);
  newProject("project");
  const isWhole = process.env.INSTALL_ONLY !== "examples";
  const url = `git+${pathToFileURL(repository.replace(/\/$/, "")).href}`;
  if (isWhole && run("npm", "install", ...QUIET, "--prefer-offline", url)) {
    for (const name of Object.keys(bin)) run("npx", "--no-install", name, "--version");
  }
  if (isWhole && run("make", "-C", repository, "install-global")) {
    for (const name of Object.keys(bin)) run(join(prefix, "bin", name), "--version");
  }
  const scratch = newProject("scratch");
  const pack = ["pack", "--silent", "--ignore-scripts", "--pack-destination", folder];
  if (
    runIn(repository, {}, "npm", ...pack) &&
    runIn(scratch, {}, "npm", "install", ...QUIET, join(folder, `${packageName}-${version}.tgz`))
  ) {
    const installed = join(scratch, "node_modules", packageName);
    const outcomes = RUNTIMES.map((runtime) => [runtime, runExamples(runtime, installed)]);
    console.log("The examples of docs/api.md, with the packed tarball:");
    for (const [runtime, outcome] of outcomes) console.log(`  ${runtime}: ${outcome}`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
