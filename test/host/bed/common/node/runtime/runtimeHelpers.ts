import { basename, join } from "node:path";
import type { Metadata } from "@test/host/bed/common/node/types";

interface Runtime {
  getWorkspacePath(projectPath: string, name: string): string;
}

/** A workspace is the project folder itself, or a worktree beside others. */
export function createRuntimeForWorkspace({ runtimeConfig }: Metadata): Runtime {
  const { type, srcBaseDir = "" } = runtimeConfig;
  if (type === "local") return { getWorkspacePath: (projectPath) => projectPath };
  if (type !== "worktree") throw new Error(`There is no ${type} here.`);
  return {
    getWorkspacePath: (projectPath, name) => join(srcBaseDir, basename(projectPath), name),
  };
}
