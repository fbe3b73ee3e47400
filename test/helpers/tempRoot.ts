/** Puts the temporary files, the home and the programs of a test run into one folder, and removes it at the end. */
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { linkPrograms } from "@scripts/testMachine.mjs";

const OWN = "TEST_TEMP_ROOT";
/** A file system in memory. A run on it takes an eighth less CPU than on a disk. */
const IN_MEMORY = "/dev/shm";
/** A run leaves about 1 GiB. */
const NEEDED_BYTES = 4 * 2 ** 30;

export default function setup(): (() => void) | undefined {
  // Each project of the configuration calls this.
  if (process.env[OWN] !== undefined) return undefined;
  // The paths of sockets are limited to about a hundred bytes.
  const root = fs.realpathSync(fs.mkdtempSync(join(baseFolder(), "mst-")));
  // Some tests run programs as another user.
  fs.chmodSync(root, 0o755);
  process.env[OWN] = process.env.TMPDIR = root;
  const { PATH } = process.env;
  const [bin, home] = [join(root, "bin"), join(root, "home")];
  linkPrograms(bin);
  fs.mkdirSync(home);
  Object.assign(process.env, { PATH: bin, HOME: home });
  process.env.TEST_GIT_TEMPLATE = createTemplate(join(root, "template"));
  return () => {
    // The programs in `bin` are removed as well.
    process.env.PATH = PATH;
    // Tests may have left folders that cannot be written to.
    spawnSync("chmod", ["-R", "u+rwX", root]);
    // The disk is the slow part, and works on several folders at a time.
    const remove = 'find "$0" -mindepth 1 -maxdepth 1 -print0 | xargs -0 -n 20 -P 8 rm -rf';
    spawnSync("sh", ["-c", `${remove}; rm -rf "$0"`, root]);
  };
}

/** Creates the files that `git init` copies, without its samples of hooks. */
function createTemplate(folder: string): string {
  for (const name of ["hooks", "info"]) fs.mkdirSync(join(folder, name), { recursive: true });
  fs.writeFileSync(join(folder, "info/exclude"), "# Ignored files of this clone\n");
  return folder;
}

/** Returns `TMPDIR`, else a folder in memory if there is enough, else the folder of the system. */
function baseFolder(): string {
  const inMemory = process.env.TMPDIR === undefined && hasMemory() ? [IN_MEMORY] : [];
  const folder = [...inMemory, tmpdir()].find(runsPrograms);
  if (folder !== undefined) return folder;
  throw new Error(`no program can be run in ${tmpdir()}; set TMPDIR to a folder without noexec`);
}

function hasMemory(): boolean {
  if (!fs.existsSync(IN_MEMORY)) return false;
  const { bavail, bsize } = fs.statfsSync(IN_MEMORY);
  return Math.min(bavail * bsize, process.availableMemory()) >= NEEDED_BYTES;
}

function runsPrograms(folder: string): boolean {
  const probe = join(folder, `mst-${process.pid}`);
  try {
    fs.writeFileSync(probe, "#!/bin/sh\n", { mode: 0o755 });
    return spawnSync(probe).status === 0;
  } catch {
    return false;
  } finally {
    fs.rmSync(probe, { force: true });
  }
}
