import { readFileSync } from "node:fs";

/** @param {string} path */
export const textModule = (path) =>
  `export default ${JSON.stringify(readFileSync(path, "utf8"))};\n`;

/** Imports `.sh` files as text, in Vitest and in the build. */
export const shellText = {
  name: "shell-text",
  enforce: "pre",
  /** @param {string} id */
  load(id) {
    return id.endsWith(".sh") ? { code: textModule(id), moduleType: "js" } : null;
  },
};
