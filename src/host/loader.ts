/** Sees the host's own modules as they are loaded: CommonJS, one file each (`dist/node/services/aiService.js`). */
import { createRequire } from "node:module";
import { describeError } from "@/common/errors";
import { say } from "@/host/hostLog";

export type ModuleExports = Record<string, unknown>;

type Extensions = Record<".js", (module: { exports: ModuleExports }, file: string) => void>;

/** @param distDir absolute: the folder of the host's build */
export type Patch = (exports: ModuleExports, distDir: string) => void;

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
    load.call(this, module, file);
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
