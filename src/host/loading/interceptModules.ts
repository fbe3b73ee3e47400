/**
 * Intercepts Mux's CommonJS modules as they load (for example `dist/node/services/aiService.js`), and applies the
 * patches that are registered for them; passes a bundled Mux, which is one file, to `loadBundle`. Also detects whether
 * the program is a Mux or only a launcher, such as npx.
 */
import { createRequire } from "node:module";
import { describeError } from "@/common/errors";
import { isBundledHost, loadBundle } from "@/host/loading/bundledHost";
import { attachFailed, log } from "@/host/hostLog";
import type { ModuleExports, Patch } from "@/host/loading/muxMembers";

type Extensions = Record<
  ".js",
  (module: { id: string; exports: ModuleExports }, file: string) => void
>;

const patches = new Map<string, Patch>();

/** Registers a patch. @param suffix the module's path, relative to `dist/`: `node/services/aiService.js` */
export function onHostModule(suffix: string, patch: Patch): void {
  patches.set(`/dist/${suffix}`, patch);
}

/**
 * Patches all modules that are loaded from now on. Logs an error that a patch throws; the host continues.
 *
 * @param onHost called once, before the first module of a host is loaded; never called in a launcher such as npx
 */
export function watchModules(onHost: () => void): void {
  let isHost = false;
  const becomeHost = (): void => {
    if (isHost) return;
    isHost = true;
    onHost();
  };
  const { _extensions: extensions } = createRequire(__filename)("node:module") as {
    _extensions: Extensions;
  };
  const load = extensions[".js"];
  extensions[".js"] = function (this: unknown, module, file): void {
    const loadNow = (): void => {
      load.call(this, module, file);
    };
    if (module.id === "." && isBundledHost(file)) {
      becomeHost();
      loadBundle(file, loadNow, (suffix) => patches.get(`/dist/${suffix}`));
      return;
    }
    const path = file.replaceAll("\\", "/");
    const find = () => [...patches].find(([suffix]) => path.endsWith(suffix));
    if (find() !== undefined) becomeHost();
    loadNow();
    // A module that this one loaded may have registered the patch.
    const found = find();
    if (found === undefined) return;
    const [suffix, patch] = found;
    try {
      patch(module.exports, `${file.slice(0, -suffix.length)}/dist`);
    } catch (thrown) {
      log(attachFailed(file, describeError(thrown)));
    }
  };
}
