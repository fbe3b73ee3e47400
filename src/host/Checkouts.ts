/** Where each workspace lies, and whose child it is: asked of the host at the first turn, and once it lies there no more. */
import { existsSync } from "node:fs";
import type { ModuleExports } from "@/host/modules";
import type { HostAgentSession, HostMetadata } from "@/host/hostTypes";

export interface Checkout {
  /** Absolute: the folder that the agent works in. */
  readonly dir: string;
  readonly metadata: HostMetadata;
  /** Not on this machine: `ssh`, `docker`, `devcontainer`. */
  readonly remote: boolean;
}

interface HostRuntime {
  getWorkspacePath(projectPath: string, name: string): string;
}

const LOCAL_KINDS: readonly unknown[] = [undefined, "local", "worktree"];

export class Checkouts {
  readonly #known = new Map<string, Checkout>();
  #helpers: ModuleExports = {};

  /** The host's own helpers, once they are loaded. */
  useHelpers(helpers: ModuleExports): void {
    this.#helpers = helpers;
  }

  get(workspaceId: string): Checkout | undefined {
    return this.#known.get(workspaceId);
  }

  /** {@link get}, unless the workspace has been renamed since. */
  current(workspaceId: string): Checkout | undefined {
    const known = this.get(workspaceId);
    return known === undefined || known.remote || existsSync(known.dir) ? known : undefined;
  }

  /** Rejects where the host does not know the workspace, or says it in a way that we do not know. */
  async find({ workspaceId, aiService }: HostAgentSession): Promise<Checkout> {
    const known = this.current(workspaceId);
    if (known !== undefined) return known;
    const found = await aiService.getWorkspaceMetadata(workspaceId);
    if (!found.success) throw new Error(`the host does not know its workspace ${workspaceId}`);
    const metadata = found.data;
    const remote = !LOCAL_KINDS.includes(metadata.runtimeConfig?.type);
    const checkout = { dir: this.#dirOf(metadata), metadata, remote };
    this.#known.set(workspaceId, checkout);
    return checkout;
  }

  forget(workspaceId: string): void {
    this.#known.delete(workspaceId);
  }

  /** Newer hosts know of projects below a workspace's root. */
  #dirOf(metadata: HostMetadata): string {
    const { createRuntimeForWorkspace: create, resolveWorkspaceExecutionPath: resolve } = this
      .#helpers as {
      createRuntimeForWorkspace?: (metadata: HostMetadata) => HostRuntime;
      resolveWorkspaceExecutionPath?: (metadata: HostMetadata, runtime: HostRuntime) => string;
    };
    const { projectPath, name, namedWorkspacePath } = metadata;
    if (create === undefined) {
      // To guess would run another checkout's hooks.
      if (namedWorkspacePath !== undefined) return namedWorkspacePath;
      throw new Error("this host does not say where its workspaces lie");
    }
    const runtime = create(metadata);
    return resolve?.(metadata, runtime) ?? runtime.getWorkspacePath(projectPath, name);
  }
}
