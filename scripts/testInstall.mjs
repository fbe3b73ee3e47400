// `make test-install`: installs the last commit of this clone from its git URL into an empty folder with an empty home,
// and with `make install-global` into an empty prefix, and starts its commands. npm installs the development dependencies
// and builds, so this takes minutes.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const repository = fileURLToPath(new URL("..", import.meta.url));
const { bin } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8"));
const folder = mkdtempSync(join(tmpdir(), "test-install-"));
const [home, project, prefix] = ["home", "project", "prefix"].map((name) => join(folder, name));

function run(command, ...args) {
  console.log(`$ ${[command, ...args].join(" ")}`);
  const env = { ...process.env, HOME: home, npm_config_prefix: prefix };
  const { status } = spawnSync(command, args, {
    cwd: project,
    env,
    stdio: "inherit",
    timeout: 600_000,
  });
  if (status !== 0) process.exitCode = 1;
  return status === 0;
}

try {
  mkdirSync(home);
  mkdirSync(project);
  writeFileSync(join(project, "package.json"), '{ "private": true }\n');
  const url = `git+${pathToFileURL(repository.replace(/\/$/, "")).href}`;
  if (run("npm", "install", "--no-audit", "--no-fund", "--prefer-offline", url)) {
    for (const name of Object.keys(bin)) run("npx", "--no-install", name, "--version");
  }
  if (run("make", "-C", repository, "install-global")) {
    for (const name of Object.keys(bin)) run(join(prefix, "bin", name), "--version");
  }
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
