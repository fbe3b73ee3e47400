/** Adds, moves and removes the checkouts of workspaces. */
import { execFileSync } from "node:child_process";
import { createRuntimeForWorkspace } from "@test/host/bed/common/node/runtime/runtimeHelpers";
import { SshRuntime } from "@test/host/bed/common/node/runtime/SshRuntime";
import type { Metadata } from "@test/host/bed/common/node/types";

export function addWorktree(workspace: Metadata): void {
  farAway(workspace)?.addCheckout(workspace.projectPath, workspace.name);
  git(workspace, "add", "-b", workspace.name, pathOf(workspace));
}

export function moveWorktree(workspace: Metadata, moved: Metadata): void {
  git(workspace, "move", pathOf(workspace), pathOf(moved));
}

export function removeWorktree(workspace: Metadata): void {
  farAway(workspace)?.removeCheckout(workspace.projectPath, workspace.name);
  git(workspace, "remove", "--force", pathOf(workspace));
}

function farAway(workspace: Metadata): SshRuntime | undefined {
  const runtime = createRuntimeForWorkspace(workspace);
  return runtime instanceof SshRuntime ? runtime : undefined;
}

function pathOf(workspace: Metadata): string {
  const { projectPath, name } = workspace;
  return createRuntimeForWorkspace(workspace).getWorkspacePath(projectPath, name);
}

function git({ projectPath, runtimeConfig }: Metadata, ...args: string[]): void {
  if (runtimeConfig.type !== "worktree") return;
  execFileSync("git", ["worktree", ...args], { cwd: projectPath, stdio: "ignore" });
}
