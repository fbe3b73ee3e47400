/** The file that a host is made to load. */
import { createRequire } from "node:module";

export const NOT_BUILT = "it is not built yet: run make build";

/** @returns its absolute path; nothing where it was not built */
export function findPreload(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve("mux-stop-hooks/register");
  } catch {
    return undefined;
  }
}
