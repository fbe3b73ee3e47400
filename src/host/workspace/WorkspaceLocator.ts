/** Where each workspace lies, and whose child it is: asked of the host at the first turn, and once it lies there no more. */
import { existsSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import type { ModuleExports } from "@/host/loading/types";
import type { HostAgentSession, HostMetadata, HostRuntime } from "@/host/muxTypes";

export interface Checkout {
  /** The folder that the agent works in: absolute, or below a home of another machine (`~/…`). */
  readonly dir: string;
  readonly metadata: HostMetadata;
  /** Programs run elsewhere: `ssh`, `docker`, `devcontainer`. */
  readonly remote: boolean;
  /** The host's way there; absent where it does not give one, and then no hook runs. */
  readonly runtime?: HostRuntime;
}

const LOCAL_KINDS: readonly unknown[] = [undefined, "local", "worktree"];

/** Whether its files can be looked at from here: those of a dev container are mounted from this machine. */
export function isLocallyReadable({ remote, metadata }: Checkout): boolean {
  return !remote || metadata.runtimeConfig?.type === "devcontainer";
}

/** Then no hook runs there. */
export function isOutOfReach({ remote, runtime }: Checkout): boolean {
  return remote && runtime === undefined;
}

export class WorkspaceLocator {
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
    if (known === undefined || !isLocallyReadable(known)) return known;
    return existsSync(known.dir) ? known : undefined;
  }

  /** Rejects where the host does not know the workspace, or says it in a way that we do not know. */
  async find({ workspaceId, aiService }: HostAgentSession): Promise<Checkout> {
    const current = this.current(workspaceId);
    if (current !== undefined && isLocallyReadable(current)) return current;
    const found = await aiService.getWorkspaceMetadata(workspaceId);
    if (!found.success) throw new Error(`the host does not know its workspace ${workspaceId}`);
    const metadata = found.data;
    const remote = !LOCAL_KINDS.includes(metadata.runtimeConfig?.type);
    const runtime = this.#runtimeOf(metadata);
    const dir = this.#dirOf(metadata, runtime);
    // One that lies elsewhere may have been renamed, too, and its container with it.
    const known = this.current(workspaceId);
    const isSame = isDeepStrictEqual(known?.metadata.runtimeConfig, metadata.runtimeConfig);
    if (known?.dir === dir && isSame) return known;
    const reachable = remote && runtime?.exec !== undefined ? { runtime } : {};
    const checkout = { dir, metadata, remote, ...reachable };
    this.#known.set(workspaceId, checkout);
    return checkout;
  }

  forget(workspaceId: string): void {
    this.#known.delete(workspaceId);
  }

  #runtimeOf(metadata: HostMetadata): HostRuntime | undefined {
    const { createRuntimeForWorkspace: create } = this.#helpers as {
      createRuntimeForWorkspace?: (metadata: HostMetadata) => HostRuntime;
    };
    return create?.(metadata);
  }

  /** Newer hosts know of projects below a workspace's root. */
  #dirOf(metadata: HostMetadata, runtime: HostRuntime | undefined): string {
    const { resolveWorkspaceExecutionPath: resolve } = this.#helpers as {
      resolveWorkspaceExecutionPath?: (metadata: HostMetadata, runtime: HostRuntime) => string;
    };
    const { projectPath, name, namedWorkspacePath } = metadata;
    if (runtime === undefined) {
      // To guess would run another checkout's hooks.
      if (namedWorkspacePath !== undefined) return namedWorkspacePath;
      throw new Error("this host does not say where its workspaces lie");
    }
    if (resolve !== undefined) return resolve(metadata, runtime);
    // How older hosts say that it lies nowhere else, as in `mux run`.
    if (name === projectPath) return projectPath;
    return runtime.getWorkspacePath(projectPath, name);
  }
}
