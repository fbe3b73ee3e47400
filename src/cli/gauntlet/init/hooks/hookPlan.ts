/** The state of a hook, which `init` determines before it writes anything (G29). */
import type { Result } from "neverthrow";
import type { SettingsEdit } from "@/cli/gauntlet/init/hooks/settingsText";
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
  /** `file:line` of an installed gauntlet, by any path, in a file of the user or of the project. */
  readonly installedAt?: string;
  /** A change to it that the user may want to make. */
  readonly advice?: string;
  /** The edits that install or update it; empty if there is nothing to do. An error is why that is impossible. */
  readonly edits: Result<readonly SettingsEdit[], string>;
}
