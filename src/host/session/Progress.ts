/** Shows the user of the host the progress of hooks: a transient status in the chat and lines in the log (H24). */
import type { HostControllerOptions } from "@/host/session/options";
import { hookProgress } from "@/host/messages";
import type { HookEvent } from "@/node/services/hooks/index";

export class HostProgress {
  constructor(private readonly options: HostControllerOptions) {}

  onEvent(event: HookEvent): void {
    switch (event.type) {
      case "hook-start":
        this.#status("waiting", hookProgress(event.event, event.index, event.total, event.label));
        break;
      case "hooks-end":
        this.#status("ready");
        break;
      case "notice":
        this.options.log(event.text);
        break;
      case "hooks-start":
      case "hook-end":
        break;
    }
  }

  /** Emits a status that is not written to the transcript. */
  #status(phase: "waiting" | "ready", detail?: string): void {
    const { session, checkout } = this.options;
    try {
      session.emitChatEvent?.({
        type: "runtime-status",
        workspaceId: session.workspaceId,
        phase,
        runtimeType: checkout.metadata.runtimeConfig?.type ?? "local",
        detail,
      });
    } catch {
      // A host that cannot show the status continues without it.
    }
  }
}
