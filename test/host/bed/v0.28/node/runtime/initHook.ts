import type { Config } from "@test/host/bed/common/node/config";
import { isProjectTrusted } from "@test/host/bed/v0.28/node/utils/projectTrust";

/** Returns whether the init hook of a project may run in a new workspace. */
export function mayRunInitHook(config: Config, projectPath: string): boolean {
  const trusted = isProjectTrusted(config, projectPath);
  return trusted;
}
