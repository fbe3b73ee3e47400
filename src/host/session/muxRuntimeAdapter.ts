/** Adapts a Mux `Runtime` of another machine to the port of the hook engine (H33). */
import { MuxRemoteShell } from "@/host/session/MuxRemoteShell";
import type { HostRuntime } from "@/host/muxTypes";
import { RemoteRuntime } from "@/node/runtime/remote/RemoteRuntime";
import type { Files } from "@/node/runtime/HookRuntime";

export interface MuxMachine {
  /** The name of the machine in messages: `ssh://host`. */
  readonly label: string;
  /** The files of the machine that Mux itself runs on. */
  readonly host: Files;
}

/** Adapts a runtime. Disposing of the result removes its scratch folder and leaves Mux's connection open. */
export function adaptMuxRuntime(
  runtime: Pick<HostRuntime, "exec">,
  { label, host }: MuxMachine
): RemoteRuntime {
  return new RemoteRuntime(new MuxRemoteShell(label, runtime), host);
}
