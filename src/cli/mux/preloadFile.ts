/** The preload for hosts. */
import { createRequire } from "node:module";

export const NOT_BUILT = "it is not built yet: run make build";

/** Returns the absolute path, or undefined if the package is not built. */
export function findPreload(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve("mux-stop-hooks/register");
  } catch {
    return undefined;
  }
}
