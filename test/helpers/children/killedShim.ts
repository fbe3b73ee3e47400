/**
 * Installs or uninstalls the shim of a packaged app, and kills itself before its n-th change of a file.
 *
 *     killedShim.ts install|uninstall EXECUTABLE PRELOAD N
 */
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { findDesktopApp } from "@/cli/mux/desktop/DesktopApp";
import { installShim, uninstallShim } from "@/cli/mux/desktop/shim";

const [action, executable = "", preload = "", count] = process.argv.slice(2);
let left = Number(count);
for (const name of ["mkdir", "rename", "rm", "symlink", "writeFile"] as const) {
  const change = fs[name] as (...args: unknown[]) => Promise<unknown>;
  Object.assign(fs, {
    [name]: async (...args: unknown[]) => {
      if (--left === 0) process.kill(process.pid, "SIGKILL");
      return await change(...args);
    },
  });
}
syncBuiltinESMExports();

const app = await findDesktopApp(executable);
if (app === undefined) throw new Error(`no app at ${executable}`);
const done = action === "install" ? await installShim(app, preload) : await uninstallShim(app);
done._unsafeUnwrap();
