/**
 * Recognizes a Mux in one minified file, as in its Docker image, and attaches hooks to it. Such a file loads no modules
 * to intercept, but assigns the exports of each module under their names, so these assignments are intercepted while it
 * loads. Logs which required exports are missing.
 */
import { readFileSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { describeError, tryOr } from "@/common/errors";
import { MIB } from "@/common/limits";
import { missingFrom, type ModuleExports, type Patch, SEAMS } from "@/host/loading/muxMembers";
import { attachFailed, log, missingExport } from "@/host/hostLog";

const SMALLEST_BUNDLE = MIB;
/** Member names of the host that a minifier must keep. */
const SIGNS = ["streamWithHistory", "getWorkspaceMetadata"];

/** Returns whether this entry file is a host in a single bundle. */
export function isBundledHost(file: string): boolean {
  return tryOr(() => {
    const found = statSync(file);
    if (!found.isFile() || found.size < SMALLEST_BUNDLE) return false;
    const source = readFileSync(file);
    return SIGNS.every((sign) => source.includes(sign));
  }, false);
}

/**
 * Loads the bundle and passes its exports to the patches.
 *
 * @param patchOf returns the patch for a module, named by its file in a host that is not bundled
 */
export function loadBundle(
  file: string,
  load: () => void,
  patchOf: (file: string) => Patch | undefined
): void {
  const pending = new Set(SEAMS.filter((seam) => patchOf(seam.file) !== undefined));
  const names = new Set([...pending].map(({ name }) => name));
  const onSet = (name: string, exports: ModuleExports): void => {
    const seams = [...pending].filter((seam) => seam.name === name);
    for (const seam of seams.filter((candidate) => missingFrom(candidate, exports).length === 0)) {
      pending.delete(seam);
      try {
        patchOf(seam.file)?.(exports, dirname(file));
      } catch (thrown) {
        log(attachFailed(missingExport(name, file), describeError(thrown)));
      }
    }
  };
  for (const name of names) watchProperty(name, onSet);
  try {
    load();
  } finally {
    for (const name of names) Reflect.deleteProperty(Object.prototype, name);
  }
  const missing = [...pending].flatMap(({ name, optional }) => (optional === true ? [] : [name]));
  if (missing.length === 0) return;
  log(
    `this bundle of Mux (${basename(file)}) has no ${missing.join(" and no ")}; hooks that need this are off`
  );
}

/** Intercepts the assignment of a new property on any object. The object gets an ordinary property of its own. */
function watchProperty(name: string, onSet: (name: string, owner: ModuleExports) => void): void {
  Object.defineProperty(Object.prototype, name, {
    configurable: true,
    get: () => undefined,
    set(this: ModuleExports, value: unknown) {
      // `exports.Name = void 0` precedes the actual assignment.
      if (value === undefined) return;
      Object.defineProperty(this, name, {
        value,
        configurable: true,
        enumerable: true,
        writable: true,
      });
      onSet(name, this);
    },
  });
}
