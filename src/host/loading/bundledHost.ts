/**
 * A host in one minified file, as in its Docker image, loads no module that could be seen. What its modules export is
 * still set on one object each, under the names that it has in the source: for as long as that file loads, whatever is
 * set under those names is looked at.
 */
import { readFileSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { describeError } from "@/common/errors";
import { MIB } from "@/common/limits";
import { missingFrom, SEAMS, type Seam } from "@/host/loading/capabilities";
import { log } from "@/host/log";
import type { ModuleExports, Patch } from "@/host/loading/types";

const SMALLEST_BUNDLE = MIB;
/** Its own words, which no minifier may change. */
const SIGNS = ["streamWithHistory", "getWorkspaceMetadata"];

/** Whether the program that starts with this file is the host, and all of it is in there. */
export function isBundledHost(file: string): boolean {
  try {
    const found = statSync(file);
    if (!found.isFile() || found.size < SMALLEST_BUNDLE) return false;
    const source = readFileSync(file);
    return SIGNS.every((sign) => source.includes(sign));
  } catch {
    return false;
  }
}

/**
 * Loads it, and hands what it exports to the patches.
 *
 * @param patchOf by the file that the seam has in a host of many files
 */
export function loadBundle(
  file: string,
  load: () => void,
  patchOf: (file: string) => Patch | undefined
): void {
  const unseen = new Set(SEAMS.filter((seam) => patchOf(seam.file) !== undefined));
  const names = new Set([...unseen].map(({ name }) => name));
  const see = (name: string, exports: ModuleExports): void => {
    const seams = [...unseen].filter((seam) => seam.name === name);
    for (const seam of seams.filter((candidate) => missingFrom(candidate, exports).length === 0)) {
      unseen.delete(seam);
      attach(seam, exports);
    }
  };
  const attach = (seam: Seam, exports: ModuleExports): void => {
    try {
      patchOf(seam.file)?.(exports, dirname(file));
    } catch (thrown) {
      log(`${seam.name} of ${file} could not be attached to: ${describeError(thrown)}`);
    }
  };
  for (const name of names) watchProperty(name, see);
  try {
    load();
  } finally {
    for (const name of names) Reflect.deleteProperty(Object.prototype, name);
  }
  const missing = [...unseen].filter(({ optional }) => optional !== true);
  if (missing.length === 0) return;
  const what = missing.map(({ name }) => name).join(" and ");
  log(`this is a bundled host (${basename(file)}) without ${what}: the hooks that need it are off`);
}

/** Every object that has no such property yet; it gets one of its own, as if nobody had looked. */
function watchProperty(name: string, see: (name: string, owner: ModuleExports) => void): void {
  Object.defineProperty(Object.prototype, name, {
    configurable: true,
    get: () => undefined,
    set(this: ModuleExports, value: unknown) {
      // `exports.Name = void 0` announces what follows.
      if (value === undefined) return;
      Object.defineProperty(this, name, {
        value,
        configurable: true,
        enumerable: true,
        writable: true,
      });
      see(name, this);
    },
  });
}
