/** The environment of a reviewer: an allow list, so that it has no secrets of the project or of other tools (G12). */
import type { ExecRequest } from "@/node/runtime/HookRuntime";
import { RECURSION_MARKER } from "@/node/services/gauntlet/domain/recursionMarker";

const COMMON = ["HOME", "PATH", "USER", "SHELL", "TERM", "TMPDIR", "LANG", "LC_*", "XDG_*"];
const PROXIES = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"];

/**
 * Builds the environment.
 *
 * @param own the variables of this reviewer, in addition to the common ones
 */
export function reviewerEnvironment(
  own: readonly string[] = [],
  more: Readonly<Record<string, string>> = {}
): Required<Pick<ExecRequest, "env" | "unsetEnv" | "passEnv">> {
  const proxies = PROXIES.flatMap((name) => [name, name.toLowerCase()]);
  return {
    unsetEnv: ["*"],
    passEnv: [...COMMON, ...proxies, ...own],
    env: { ...more, [RECURSION_MARKER]: String(process.pid) },
  };
}
