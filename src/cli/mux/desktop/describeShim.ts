import { ownCommand } from "@/common/ownCommand";
import type { DesktopApp } from "@/cli/mux/desktop/DesktopApp";
import type { ShimState } from "@/cli/mux/desktop/shim";
import { join } from "node:path";

/** Describes the state and the next step. */
export function describeShim(state: ShimState, { resources }: DesktopApp): string {
  switch (state.kind) {
    case "installed":
      return state.isPreloadThere
        ? "hooks are installed"
        : `hooks are installed, but ${state.preload} no longer exists; run "${ownCommand()} hooks desktop install" again`;
    case "absent":
      return `no hooks are installed; run "${ownCommand()} hooks desktop install"`;
    case "updated":
      return `the app was updated and runs without hooks; run "${ownCommand()} hooks desktop install" again`;
    case "incomplete":
      return `an earlier change was interrupted; run "${ownCommand()} hooks desktop install" to complete it, or "${ownCommand()} hooks desktop uninstall" to undo it`;
    case "foreign":
      return `no hooks are installed: ${join(resources, "app")} exists but was not written by mux-hooks; if you do not need it, remove it before you install the hooks`;
  }
}
