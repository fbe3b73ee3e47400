import { execFile } from "node:child_process";
import type { Config } from "@test/host/bed/common/node/config";
import type { Tool } from "@test/host/bed/common/node/services/aiService";

/** Returns a tool that runs a script in the workspace, with the environment of the host. */
export function bashTool(config: Config): Tool {
  return async ({ script }, workspaceId) => {
    const cwd = config.workspaces.get(workspaceId)?.projectPath;
    return await new Promise((resolve) => {
      execFile("bash", ["-c", String(script)], { cwd }, (error, output) => {
        resolve({ success: error === null, output });
      });
    });
  };
}
