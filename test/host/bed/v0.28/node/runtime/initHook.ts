import type { Config } from "@test/host/bed/common/node/config";
import { isProjectTrusted } from "@test/host/bed/v0.28/node/utils/projectTrust";

/** Whether what a project wants to be run in a new workspace may be run. */
export function mayRunInitHook(config: Config, projectPath: string): boolean {
  const trusted = isProjectTrusted(config, projectPath);
  return trusted;
}
