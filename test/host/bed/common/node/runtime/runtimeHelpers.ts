import { basename, join } from "node:path";
import { SshRuntime } from "@test/host/bed/common/node/runtime/SshRuntime";
import type { Metadata } from "@test/host/bed/common/node/types";

interface Runtime {
  getWorkspacePath(projectPath: string, name: string): string;
}

/** Creates the runtime of a workspace: the project folder itself, a worktree, or a clone on another machine. */
export function createRuntimeForWorkspace({ runtimeConfig }: Metadata): Runtime {
  const { type, srcBaseDir = "", host = "" } = runtimeConfig;
  if (type === "local") return { getWorkspacePath: (projectPath) => projectPath };
  if (type === "ssh") return new SshRuntime(host, srcBaseDir);
  if (type !== "worktree") throw new Error(`There is no ${type} here.`);
  return { getWorkspacePath: (projectPath, name) => join(srcBaseDir, basename(projectPath), name) };
}
