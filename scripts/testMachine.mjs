// What a test knows of the machine that runs it, as with tox and Bazel: links to the listed programs, and the variables
// of the tests. A person's other programs and variables change no result, and no test writes into a person's folders.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, realpathSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { findProgram, PROGRAMS } from "./programs.mjs";

const COREUTILS =
  "[ arch b2sum base32 base64 basename basenc cat chcon chgrp chmod chown chroot cksum comm cp csplit cut date dd df dir " +
  "dircolors dirname du echo env expand expr factor false fmt fold groups head hostid id install join link ln logname ls " +
  "md5sum mkdir mkfifo mknod mktemp mv nice nl nohup nproc numfmt od paste pathchk pinky pr printenv printf ptx pwd " +
  "readlink realpath rm rmdir runcon seq sha1sum sha224sum sha256sum sha384sum sha512sum shred shuf sleep sort split stat " +
  "stdbuf stty sum sync tac tail tee test timeout touch tr true truncate tsort tty uname unexpand uniq unlink users vdir " +
  "wc who whoami yes";

const VARIABLES =
  /^(?:PATH|HOME|TMPDIR|TZ|CHROMIUM|MUX_DIST|MUX_UPSTREAM|NODE_V8_COVERAGE|RECORDS|SEED|SEQUENCES|STORY|TOOL|(?:TEST|VITEST|CRASH|LOST|EXAMPLES|HOSTS)(?:_.*)?)$/;

/** Removes the variables that are not for tests. */
export function removeVariables(env) {
  for (const name of Object.keys(env)) if (!VARIABLES.test(name)) delete env[name];
}

/** Creates the folder `bin` with links to the programs that tests may use. */
export function linkPrograms(bin, without = []) {
  mkdirSync(bin);
  const link = (name, path) => {
    if (path !== undefined && !without.includes(name)) symlinkSync(path, join(bin, name));
  };
  for (const program of PROGRAMS)
    link(program.name, trueProgram(program.name, findProgram(program)));
  for (const name of COREUTILS.split(" ")) link(name, findProgram({ name }));
  link("node", process.execPath);
  for (const name of ["npm", "npx"]) {
    const own = join(dirname(process.execPath), name);
    link(name, existsSync(own) ? own : findProgram({ name }));
  }
}

/** Returns the real program. The shim of a version manager needs more files, so the interpreter prints its own path. */
function trueProgram(name, path) {
  if (name !== "python3" || path === undefined) return path;
  const script = "import sys; print(sys.executable)";
  const { stdout } = spawnSync(path, ["-c", script], { encoding: "utf8" });
  return existsSync(stdout.trim()) ? realpathSync(stdout.trim()) : path;
}
