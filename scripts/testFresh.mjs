// Runs the two commands of the README in a fresh clone with an empty home. PATH contains only links to the listed
// programs, Node and coreutils. `WITHOUT=zsh make test-fresh` leaves a program out.
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findProgram, PROGRAMS } from "./programs.mjs";

const COREUTILS =
  "[ arch b2sum base32 base64 basename basenc cat chcon chgrp chmod chown chroot cksum comm cp csplit cut date dd df dir " +
  "dircolors dirname du echo env expand expr factor false fmt fold groups head hostid id install join link ln logname ls " +
  "md5sum mkdir mkfifo mknod mktemp mv nice nl nohup nproc numfmt od paste pathchk pinky pr printenv printf ptx pwd " +
  "readlink realpath rm rmdir runcon seq sha1sum sha224sum sha256sum sha384sum sha512sum shred shuf sleep sort split stat " +
  "stdbuf stty sum sync tac tail tee test timeout touch tr true truncate tsort tty uname unexpand uniq unlink users vdir " +
  "wc who whoami yes";

const repository = fileURLToPath(new URL("..", import.meta.url));
const without = (process.env.WITHOUT ?? "").split(/[ ,]+/);
const folder = mkdtempSync(join(tmpdir(), "test-fresh-"));
// Some tests run programs as another user.
chmodSync(folder, 0o755);

function linkPrograms(bin) {
  mkdirSync(bin);
  const tools = COREUTILS.split(" ").map((name) => ({ name }));
  for (const program of [...PROGRAMS, ...tools]) {
    if (without.includes(program.name)) continue;
    const path = findProgram(program);
    if (path !== undefined) symlinkSync(trueProgram(program.name, path), join(bin, program.name));
  }
  for (const name of ["node", "npm", "npx"]) {
    symlinkSync(join(dirname(process.execPath), name), join(bin, name));
  }
}

/** Returns the real program. The shim of a version manager needs more files, so the interpreter prints its own path. */
function trueProgram(name, path) {
  if (name !== "python3") return path;
  const script = "import sys; print(sys.executable)";
  const { stdout } = spawnSync(path, ["-c", script], { encoding: "utf8" });
  return existsSync(stdout.trim()) ? realpathSync(stdout.trim()) : path;
}

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
  linkPrograms(bin);
  mkdirSync(home);
  const env = { PATH: bin, HOME: home, ...(process.env.CI ? { CI: process.env.CI } : {}) };
  const clone = ["clone", "--quiet", repository, join(folder, "clone")];
  const cloned = spawnSync("git", clone, { stdio: "inherit" });
  if (cloned.status !== 0) process.exitCode = 1;
  else for (const target of ["run", "test"]) run("make", [target], env);
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
