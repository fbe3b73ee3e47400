/** Puts the temporary files of a test run into one folder, and removes it at the end. */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const OWN = "TEST_TEMP_ROOT";

export default function setup(): (() => void) | undefined {
  // Each project of the configuration calls this.
  if (process.env[OWN] !== undefined) return undefined;
  // The paths of sockets are limited to about a hundred bytes.
  const root = realpathSync(mkdtempSync(join(tmpdir(), "mst-")));
  // Some tests run programs as another user.
  chmodSync(root, 0o755);
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
  for (const name of ["hooks", "info"]) mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, "info/exclude"), "# Ignored files of this clone\n");
  return folder;
}
