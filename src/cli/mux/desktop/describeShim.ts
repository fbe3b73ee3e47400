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
      return messages.NOT_INSTALLED;
    case "updated":
      return messages.UPDATED;
    case "incomplete":
      return messages.INCOMPLETE;
    case "foreign":
      return messages.foreignFolder(join(resources, "app"));
  }
}
