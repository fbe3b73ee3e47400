import type { Metadata } from "@test/host/bed/common/node/types";

interface Runtime {
  getWorkspacePath(projectPath: string, name: string): string;
}

/** Workspaces are the project folders themselves here. */
export function createRuntimeForWorkspace({ runtimeConfig }: Metadata): Runtime {
  if (runtimeConfig.type !== "local") throw new Error(`There is no ${runtimeConfig.type} here.`);
  return { getWorkspacePath: (projectPath) => projectPath };
}
