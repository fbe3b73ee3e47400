import type { Config } from "@test/host/bed/common/node/config";

export function isProjectTrusted(config: Config, projectPath: string): boolean {
  return config.projects.get(projectPath)?.trusted === true;
}
