/** The environment of a reviewer: an allow-list, so that no secret of the project or of another tool is in it (G12). */
import type { ExecRequest } from "@/node/runtime/HookRuntime";
import { RECURSION_MARKER } from "@/node/services/gauntlet/domain/recursionMarker";

const COMMON = ["HOME", "PATH", "USER", "SHELL", "TERM", "TMPDIR", "LANG", "LC_*", "XDG_*"];
const PROXIES = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"];

/** @param own what this reviewer has beside what every reviewer gets */
export function reviewerEnvironment(
  own: readonly string[] = [],
  more: Readonly<Record<string, string>> = {}
): Required<Pick<ExecRequest, "env" | "unsetEnv" | "passEnv">> {
  const proxies = PROXIES.flatMap((name) => [name, name.toLowerCase()]);
  return {
    unsetEnv: ["*"],
    passEnv: [...COMMON, ...proxies, ...own],
    env: { ...more, [RECURSION_MARKER]: "1" },
  };
}
