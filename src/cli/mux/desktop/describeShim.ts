import type { DesktopApp } from "@/cli/mux/desktop/DesktopApp";
import type { ShimState } from "@/cli/mux/desktop/shim";
import { join } from "node:path";
import * as messages from "@/cli/messages/desktop";

/** Describes the state and the next step. */
export function describeShim(state: ShimState, { resources }: DesktopApp): string {
  switch (state.kind) {
    case "installed":
      return state.isPreloadThere ? messages.INSTALLED : messages.preloadMissing(state.preload);
    case "absent":
      return messages.shimNotInstalled();
    case "updated":
      return messages.appUpdated();
    case "incomplete":
      return messages.shimIncomplete();
    case "foreign":
      return messages.foreignFolder(join(resources, "app"));
  }
}
