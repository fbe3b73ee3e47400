/** Puts the temporary files of a test run into one folder, and removes it at the end. */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, realpathSync } from "node:fs";
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
  return () => {
    // Tests may have left folders that cannot be written to.
    spawnSync("chmod", ["-R", "u+rwX", root]);
    spawnSync("rm", ["-rf", root]);
  };
}
