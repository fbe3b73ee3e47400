/**
 * Tracks Mux's workspaces: their live sessions with the options of the last turn (`LiveSessions`), and their checkouts on
 * this or another machine (`WorkspaceLocator`).
 */
import { statSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { tryOr } from "@/common/errors";
import type { HostAgentSession, HostMetadata, HostRuntime, HostSendOptions } from "@/host/muxTypes";

/** A live session of the host. */
export interface HostWorkspace {
  readonly session: HostAgentSession;
  /** The options of the last turn, including its model, without those in `OF_ONE_MESSAGE`. */
  readonly options: HostSendOptions;
}

/** Options that apply to a single message and not to the continuation of its turn. */
const OF_ONE_MESSAGE = [
  "editMessageId",
  "fileParts",
  "imageParts",
  "muxMetadata",
  "queueDispatchMode",
];

export class LiveSessions {
  readonly #workspaces = new Map<string, HostWorkspace>();

  get(workspaceId: string): HostWorkspace | undefined {
    return this.#workspaces.get(workspaceId);
  }

  /** Records the options of a turn when it starts to stream. */
  streams(session: HostAgentSession, model: string, options: HostSendOptions = {}): void {
    const kept = Object.entries(options).filter(([key]) => !OF_ONE_MESSAGE.includes(key));
    this.#workspaces.set(session.workspaceId, {
      session,
      options: { ...Object.fromEntries(kept), model },
    });
  }

  gone(session: HostAgentSession): void {
    const { workspaceId } = session;
    if (this.get(workspaceId)?.session === session) this.#workspaces.delete(workspaceId);
  }
}

/** Returns whether a message waits in the session's queue. */
export function hasQueued({ messageQueue }: HostAgentSession): boolean {
  return messageQueue?.isEmpty() === false;
}

/** The working copy of a workspace. */
export interface Checkout {
  /** The folder that the agent works in: absolute, or below the home folder of another machine (`~/…`). */
  readonly dir: string;
  /** Identifies the folder if this machine can read it, since another workspace may get its name. */
  readonly folderId?: string | undefined;
  readonly metadata: HostMetadata;
  /** Whether programs run on another machine or in a container: `ssh`, `docker`, `devcontainer`. */
  readonly remote: boolean;
  /** The host's connection to the workspace. Absent if the host provides none; then no hook runs. */
  readonly runtime?: HostRuntime;
}

const LOCAL_KINDS: readonly unknown[] = [undefined, "local", "worktree"];

/** Returns whether this machine can read the files of a checkout. Those of a dev container are mounted from it. */
export function isLocallyReadable({ remote, metadata }: Checkout): boolean {
  return !remote || metadata.runtimeConfig?.type === "devcontainer";
}

/** Returns whether a remote workspace has no connection. Then no hook runs in it. */
export function isOutOfReach({ remote, runtime }: Checkout): boolean {
  return remote && runtime === undefined;
}

/** Functions of a module of the host. */
interface HostHelpers {
  createRuntimeForWorkspace?: (metadata: HostMetadata) => HostRuntime;
  resolveWorkspaceExecutionPath?: (metadata: HostMetadata, runtime: HostRuntime) => string;
}

/** Caches each workspace's path and metadata from its first turn on, until the folder is moved or replaced. */
export class WorkspaceLocator {
  readonly #known = new Map<string, Checkout>();
  #helpers: HostHelpers = {};

  /** Sets the host's own helper functions, once they are loaded. */
  useHelpers(helpers: HostHelpers): void {
    this.#helpers = helpers;
  }

  get(workspaceId: string): Checkout | undefined {
    return this.#known.get(workspaceId);
  }

  /** Returns {@link get}, or undefined if the workspace was renamed since, as far as this machine can check. */
  current(workspaceId: string): Checkout | undefined {
    const known = this.get(workspaceId);
    if (known === undefined || !isLocallyReadable(known)) return known;
    const folderId = folderIdOf(known.dir);
    return folderId !== undefined && folderId === known.folderId ? known : undefined;
  }

  /** Finds a workspace. Rejects if the host does not know it, or does not return its path in a known way. */
  async find({ workspaceId, aiService }: HostAgentSession): Promise<Checkout> {
    const current = this.current(workspaceId);
    if (current !== undefined && isLocallyReadable(current)) return current;
    const found = await aiService.getWorkspaceMetadata(workspaceId);
    if (!found.success) throw new Error(`Mux returned no metadata of the workspace ${workspaceId}`);
    const metadata = found.data;
    const remote = !LOCAL_KINDS.includes(metadata.runtimeConfig?.type);
    const runtime = this.#helpers.createRuntimeForWorkspace?.(metadata);
    const dir = this.#dirOf(metadata, runtime);
    // A remote workspace may also have been renamed, together with its container.
    const known = this.current(workspaceId);
    const isSame = isDeepStrictEqual(known?.metadata.runtimeConfig, metadata.runtimeConfig);
    if (known?.dir === dir && isSame) return known;
    const reachable = remote && runtime?.exec !== undefined ? { runtime } : {};
    const checkout = { dir, folderId: folderIdOf(dir), metadata, remote, ...reachable };
    this.#known.set(workspaceId, checkout);
    return checkout;
  }

  forget(workspaceId: string): void {
    this.#known.delete(workspaceId);
  }

  /** Returns the folder that the agent works in. Newer hosts support projects below a workspace's root. */
  #dirOf(metadata: HostMetadata, runtime: HostRuntime | undefined): string {
    const { resolveWorkspaceExecutionPath: resolve } = this.#helpers;
    const { projectPath, name, namedWorkspacePath } = metadata;
    if (runtime === undefined) {
      // A guess could run the hooks of another checkout.
      if (namedWorkspacePath !== undefined) return namedWorkspacePath;
      throw new Error("this version of Mux does not report the paths of its workspaces");
    }
    if (resolve !== undefined) return resolve(metadata, runtime);
    // In older hosts this means that the workspace is the project itself, as in `mux run`.
    if (name === projectPath) return projectPath;
    return runtime.getWorkspacePath(projectPath, name);
  }
}

/** Returns what identifies a folder, or undefined if there is none that this machine can read. */
function folderIdOf(dir: string): string | undefined {
  const found = tryOr(() => statSync(dir, { throwIfNoEntry: false }), undefined);
  return found && `${found.dev}:${found.ino}`;
}
