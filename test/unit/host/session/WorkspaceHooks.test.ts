/** What a turn of Mux tells its hooks. */
import { expect, test, vi } from "vitest";
import type { HostConfig } from "@/host/muxTypes";
import { backgroundAgents } from "@/host/session/WorkspaceHooks";

const config = (projects: unknown): HostConfig => ({
  getSessionDir: () => "/",
  loadConfigOrDefault: () => ({ projects }),
});
const child = (id: string, taskStatus: string, more = {}) => ({
  ...{ id, name: `agent_${id}`, parentWorkspaceId: "p", agentType: "explore", taskStatus, ...more },
});

test("lists the running sub-agents of a workspace for its hooks (H13, G39)", () => {
  const workspaces = [
    { id: "p", name: "main" },
    child("a", "running", { title: "Look around" }),
    child("b", "queued"),
    child("c", "reported"),
    child("d", "interrupted"),
    child("e", "running", { parentWorkspaceId: "other" }),
    child("f", "reported", { taskExecutionStatus: "running" }),
    child("g", "reported", { taskExecutionStatus: "completed" }),
    child("h", "running", { archivedAt: "2026-11-02", unarchivedAt: "2026-11-01" }),
    child("i", "running", { archivedAt: "2026-11-01", unarchivedAt: "2026-11-02" }),
  ];
  const found = backgroundAgents(config(new Map([["/project", { workspaces }]])), "p");
  const common = { type: "subagent", status: "running", agent_type: "explore" };
  expect(found).toEqual([
    { ...common, id: "a", description: "Look around" },
    ...["b", "f", "i"].map((id) => ({ ...common, id, description: `agent_${id}` })),
  ]);
});

test.each([undefined, {}, new Map([["/p", null]]), new Map([["/p", { workspaces: [3] }]])])(
  "lists none if the host's configuration has another form or cannot be read: %s",
  (projects) => {
    expect(backgroundAgents(config(projects), "p")).toEqual([]);
    expect(backgroundAgents({ getSessionDir: () => "/" }, "p")).toEqual([]);
    const broken = vi.fn().mockThrow(new Error("broken"));
    expect(backgroundAgents({ ...config({}), loadConfigOrDefault: broken }, "p")).toEqual([]);
  }
);
