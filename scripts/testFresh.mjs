// Runs the two commands of the README in a fresh clone with an empty home. PATH contains only links to the listed
// programs, Node and coreutils. `WITHOUT=zsh make test-fresh` leaves a program out.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { PROGRAMS } from "./programs.mjs";
import { linkPrograms } from "./testMachine.mjs";

const repository = fileURLToPath(new URL("..", import.meta.url));
const without = (process.env.WITHOUT ?? "").split(/[ ,]+/).filter((name) => name !== "");
for (const name of without) {
  if (PROGRAMS.some((program) => program.name === name)) continue;
  console.error(`WITHOUT: ${name} is not in test/programs.json`);
  process.exit(1);
}
const folder = mkdtempSync(join(tmpdir(), "test-fresh-"));
// Some tests run programs as another user.
chmodSync(folder, 0o755);

function run(command, args, env) {
  console.log(`$ ${[basename(command), ...args].join(" ")}`);
  const started = performance.now();
  const { status } = spawnSync(command, args, {
    cwd: join(folder, "clone"),
    env,
    stdio: "inherit",
  });
  console.log(`  exit ${status}, ${((performance.now() - started) / 1000).toFixed(0)} s`);
  if (status !== 0) process.exitCode = 1;
}

try {
  const bin = join(folder, "bin");
  const home = join(folder, "home");
  linkPrograms(bin, without);
  mkdirSync(home);
  const env = { PATH: bin, HOME: home, ...(process.env.CI ? { CI: process.env.CI } : {}) };
  const clone = ["clone", "--quiet", repository, join(folder, "clone")];
  const cloned = spawnSync("git", clone, { stdio: "inherit" });
  if (cloned.status !== 0) process.exitCode = 1;
  else for (const target of ["run", "test"]) run("make", [target], env);
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
