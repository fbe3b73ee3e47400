/** Puts the temporary files of a test run into one folder, and removes it at the end. */
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { freemem, tmpdir } from "node:os";
import { join } from "node:path";

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
  process.env.TEST_GIT_TEMPLATE = createTemplate(join(root, "template"));
  return () => {
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

/** Returns `TMPDIR`, else a folder in memory if there is enough, and if programs in it can be run. */
function baseFolder(): string {
  if (process.env.TMPDIR !== undefined || !fs.existsSync(IN_MEMORY)) return tmpdir();
  const { bavail, bsize } = fs.statfsSync(IN_MEMORY);
  if (Math.min(bavail * bsize, freemem()) < NEEDED_BYTES) return tmpdir();
  const probe = join(IN_MEMORY, `mst-${process.pid}`);
  fs.writeFileSync(probe, "#!/bin/sh\n", { mode: 0o755 });
  const { status } = spawnSync(probe);
  fs.rmSync(probe);
  return status === 0 ? IN_MEMORY : tmpdir();
}
