/**
 * Lists the sub-agents of a workspace that are running when its agent stops, as hooks see them in `background_tasks`
 * (H13). The agent waits for all others within its turn.
 */
import { isJsonObject } from "@/common/json";
import type { HostConfig } from "@/host/muxTypes";

export interface BackgroundAgent {
  readonly id: string;
  readonly type: "subagent";
  readonly status: "running";
  readonly description: string;
  readonly agent_type: string;
}

const RUNNING = new Set(["queued", "starting", "running", "awaiting_report"]);
const MAX_AGENTS = 100;

/** Returns an empty list if the host's configuration does not name them. */
export function backgroundAgents(config: HostConfig, workspaceId: string): BackgroundAgent[] {
  try {
    const projects: unknown = config.loadConfigOrDefault?.().projects;
    const entries = projects instanceof Map ? [...(projects.values() as Iterable<unknown>)] : [];
    return entries
      .flatMap((project) =>
        isJsonObject(project) && Array.isArray(project.workspaces)
          ? (project.workspaces as unknown[])
          : []
      )
      .flatMap((workspace) => agentOf(workspace, workspaceId))
      .slice(0, MAX_AGENTS);
  } catch {
    // A configuration that cannot be read names none.
    return [];
  }
}

function agentOf(workspace: unknown, parentId: string): BackgroundAgent[] {
  if (!isJsonObject(workspace) || workspace.parentWorkspaceId !== parentId) return [];
  const { id, name, title, taskStatus, agentType, agentId } = workspace;
  if (typeof id !== "string" || typeof taskStatus !== "string") return [];
  if (!RUNNING.has(taskStatus)) return [];
  return [
    {
      ...{ id, type: "subagent", status: "running" },
      description: text(title) ?? text(name) ?? "",
      agent_type: text(agentType) ?? text(agentId) ?? "",
    },
  ];
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
