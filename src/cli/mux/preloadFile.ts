/** The preload for hosts. */
import { createRequire } from "node:module";

/** Returns the absolute path, or undefined if the package is not built. */
export function findPreload(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve("mux-stop-hooks/register");
  } catch {
    return undefined;
  }
}
