import { ARCHIVE, type DesktopApp } from "@/cli/mux/desktop/DesktopApp";
import type { ShimState } from "@/cli/mux/desktop/shim";
import { join } from "node:path";

/** Describes the state and the next step. */
export function describeShim(state: ShimState, { resources }: DesktopApp): string {
  switch (state.kind) {
    case "installed":
      return state.isPreloadThere
        ? "hooks are installed"
        : `hooks are installed, but ${state.preload} is gone: run "mux-hooks desktop install" again`;
    case "absent":
      return 'no hooks are installed: run "mux-hooks desktop install"';
    case "updated":
      return 'the app was updated and runs without hooks: run "mux-hooks desktop install" again';
    case "incomplete":
      return 'a change was begun and not finished: run "mux-hooks desktop install" or "uninstall"';
    case "foreign":
      return `${join(resources, "app")} was not written by mux-hooks; ${ARCHIVE} is loaded if it is there`;
  }
}
