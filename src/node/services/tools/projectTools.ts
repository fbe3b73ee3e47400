import type { Tool } from "@/node/services/session/aiService";
import type { ToolHost } from "@/node/services/session/tool";
import { bashTool } from "@/node/services/tools/bash";
import { fileEditTool, fileWriteTool } from "@/node/services/tools/files";
import { reportTool, taskTool } from "@/node/services/tools/task";

/** Returns the tools of an agent in the embedded session: running commands, changing files, and starting sub-agents. */
export function projectTools(host: ToolHost): readonly Tool[] {
  const { runtime, projectDir, isSubagent } = host;
  return [
    bashTool(runtime, projectDir),
    fileWriteTool(runtime, projectDir),
    fileEditTool(runtime, projectDir),
    taskTool(host),
    ...(isSubagent ? [reportTool] : []),
  ];
}
