/**
 * Installs or uninstalls the shim of a packaged app. Copies the app before each change of a file, as a kill at that moment
 * would leave it, to `FOLDER/1`, `FOLDER/2`…
 *
 *     shimSteps.ts install|uninstall EXECUTABLE PRELOAD FOLDER
 */
import { cpSync } from "node:fs";
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { dirname, join } from "node:path";
import { findDesktopApp } from "@/cli/mux/desktop/findDesktopApp";
import { installShim, uninstallShim } from "@/cli/mux/desktop/installShim";

const [action, executable = "", preload = "", folder = ""] = process.argv.slice(2);
let steps = 0;
for (const name of ["mkdir", "rename", "rm", "symlink", "writeFile"] as const) {
  const change = fs[name] as (...args: unknown[]) => Promise<unknown>;
  Object.assign(fs, {
    [name]: async (...args: unknown[]) => {
      const options = { recursive: true, verbatimSymlinks: true };
      cpSync(dirname(executable), join(folder, String(++steps)), options);
      return await change(...args);
    },
  });
}
syncBuiltinESMExports();

const app = await findDesktopApp(executable);
if (app === undefined) throw new Error(`no app at ${executable}`);
const done = action === "install" ? await installShim(app, preload) : await uninstallShim(app);
done._unsafeUnwrap();
