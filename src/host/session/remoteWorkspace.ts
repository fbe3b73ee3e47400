/** Opens a workspace on another machine over the host's own connection (H33). */
import type { HostRuntime, HostRuntimeConfig } from "@/host/muxTypes";
import { MuxRemoteShell } from "@/host/session/MuxRemoteShell";
import type { Checkout } from "@/host/workspace/Workspaces";
import type { Files } from "@/node/runtime/HookRuntime";
import { RemoteRuntime, resolveRemotePath } from "@/node/runtime/remote/RemoteRuntime";

/** The time limit to find a container that already exists. */
const READY_MS = 60_000;

/** Opens the workspace with its checkout's real path. Rejects with an error whose message describes the cause. */
export async function openRemoteWorkspace(
  workspaceId: string,
  { dir, metadata, runtime: muxRuntime }: Checkout,
  host: Files
): Promise<{ readonly runtime: RemoteRuntime; readonly dir: string }> {
  if (muxRuntime === undefined)
    throw new Error("this version of Mux provides no connection to the machine of the workspace");
  const label = remoteLabel(metadata.runtimeConfig ?? {}, workspaceId);
  const runtime = new RemoteRuntime(new MuxRemoteShell(label, muxRuntime), host);
  const found = await resolveRemotePath(runtime, (await folderInContainer(muxRuntime)) ?? dir);
  if (found.isErr()) throw new Error(found.error);
  return { runtime, dir: found.value };
}

/** Returns the display name of the machine. For SSH it is also the prefix of a workspace's name in `mux-hooks`. */
export function remoteLabel(
  { type = "remote", host, port, containerName }: HostRuntimeConfig,
  workspaceId: string
): string {
  if (type !== "ssh" || host === undefined) return `${type}://${containerName ?? workspaceId}`;
  const [, user = "", name = host] = /^(.*@)?(.*)$/s.exec(host) ?? [];
  const where = name.includes(":") ? `[${name}]` : name;
  return `ssh://${user}${where}${port === undefined ? "" : `:${port}`}`;
}

/** Returns the folder in a dev container. It differs from the local one, and is known once the container is ready. */
async function folderInContainer(runtime: HostRuntime): Promise<string | undefined> {
  if (runtime.getRemoteWorkspaceFolder === undefined) return undefined;
  const ready = await runtime.ensureReady?.({ signal: AbortSignal.timeout(READY_MS) });
  if (ready?.ready === false) {
    throw new Error(`the dev container is not ready: ${String(ready.error)}`);
  }
  return runtime.getRemoteWorkspaceFolder();
}
