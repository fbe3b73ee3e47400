/** A workspace on another machine, by the host's own way there (H33). */
import type { Checkout } from "@/host/workspace/WorkspaceLocator";
import { adaptMuxRuntime } from "@/host/session/muxRuntimeAdapter";
import type { HostRuntime, HostRuntimeConfig } from "@/host/muxTypes";
import { resolveRemotePath } from "@/node/runtime/remote/resolveRemotePath";
import type { RemoteRuntime } from "@/node/runtime/remote/RemoteRuntime";
import type { Files } from "@/node/runtime/HookRuntime";

export interface RemoteWorkspace {
  readonly runtime: RemoteRuntime;
  /** The checkout's real path there. */
  readonly dir: string;
}

/** Of a container that is there already, and only has to be found. */
const READY_MS = 60_000;

/** Rejects with what is wrong, in words. */
export async function openRemoteWorkspace(
  workspaceId: string,
  { dir, metadata, runtime: muxRuntime }: Checkout,
  host: Files
): Promise<RemoteWorkspace> {
  if (muxRuntime === undefined) throw new Error("this host gives no way to its machine");
  const label = remoteLabel(metadata.runtimeConfig ?? {}, workspaceId);
  const runtime = adaptMuxRuntime(muxRuntime, { label, host });
  const found = await resolveRemotePath(runtime, (await folderInContainer(muxRuntime)) ?? dir);
  if (found.isErr()) throw new Error(found.error);
  return { runtime, dir: found.value };
}

/** What a person would call the machine; that of SSH is also the beginning of what `mux-hooks` calls a workspace. */
export function remoteLabel(
  { type = "remote", host, port, containerName }: HostRuntimeConfig,
  workspaceId: string
): string {
  if (type !== "ssh" || host === undefined) return `${type}://${containerName ?? workspaceId}`;
  const [, user = "", name = host] = /^(.*@)?(.*)$/s.exec(host) ?? [];
  const where = name.includes(":") ? `[${name}]` : name;
  return `ssh://${user}${where}${port === undefined ? "" : `:${port}`}`;
}

/** A dev container has the workspace elsewhere than this machine, and does not say where before it was asked for. */
async function folderInContainer(runtime: HostRuntime): Promise<string | undefined> {
  if (runtime.getRemoteWorkspaceFolder === undefined) return undefined;
  const ready = await runtime.ensureReady?.({ signal: AbortSignal.timeout(READY_MS) });
  if (ready?.ready === false) {
    throw new Error(`the dev container is not ready: ${String(ready.error)}`);
  }
  return runtime.getRemoteWorkspaceFolder();
}
