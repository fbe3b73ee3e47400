/** Sees the host's own modules as they are loaded: CommonJS, one file each (`dist/node/services/aiService.js`). */
import { createRequire } from "node:module";
import { describeError } from "@/common/errors";
import { isBundledHost, loadBundle } from "@/host/bundle";
import { say } from "@/host/hostLog";
import type { ModuleExports, Patch } from "@/host/modules";

type Extensions = Record<
  ".js",
  (module: { id: string; exports: ModuleExports }, file: string) => void
>;

const patches = new Map<string, Patch>();

/** @param suffix the end of the file's path, from `dist/` on: `node/services/aiService.js` */
export function onHostModule(suffix: string, patch: Patch): void {
  patches.set(`/dist/${suffix}`, patch);
}

/** From now on. Whatever a patch throws is said, and the module is as it was. */
export function watchModules(): void {
  const { _extensions: extensions } = createRequire(__filename)("node:module") as {
    _extensions: Extensions;
  };
  const load = extensions[".js"];
  extensions[".js"] = function (this: unknown, module, file): void {
    const loadNow = (): void => {
      load.call(this, module, file);
    };
    if (module.id === "." && isBundledHost(file)) {
      loadBundle(file, loadNow, (suffix) => patches.get(`/dist/${suffix}`));
      return;
    }
    loadNow();
    const path = file.replaceAll("\\", "/");
    const found = [...patches].find(([suffix]) => path.endsWith(suffix));
    if (found === undefined) return;
    const [suffix, patch] = found;
    try {
      patch(module.exports, `${file.slice(0, -suffix.length)}/dist`);
    } catch (thrown) {
      say(`${file} could not be attached to: ${describeError(thrown)}`);
    }
  };
}
