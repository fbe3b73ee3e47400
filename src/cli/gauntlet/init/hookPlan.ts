/** What `init` finds out about a hook before it writes anything (G29). */
import type { Result } from "neverthrow";
import type { SettingsEdit } from "@/cli/gauntlet/init/settingsText";
import type { HookRuntime } from "@/node/runtime/HookRuntime";

export interface InitPlace {
  readonly runtime: HookRuntime;
  /** Absolute. */
  readonly projectDir: string;
  readonly env: NodeJS.ProcessEnv;
  /** Absolute. */
  readonly home: string;
  /** The file that this process was started with, absolute. */
  readonly program: string;
}

export interface InstallPlan {
  /** `file:line` of a gauntlet that is installed, by any path, in a file of the person's or the project's. */
  readonly installedAt?: string;
  /** What the person may want to change in it. */
  readonly advice?: string;
  /** What installs it or brings it up to date: none where nothing is to do. An error is why that is impossible. */
  readonly edits: Result<readonly SettingsEdit[], string>;
}
