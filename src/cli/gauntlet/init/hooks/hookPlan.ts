/** The state of a hook, which `init` and `uninstall` determine before they write anything (G29). */
import type { Result } from "neverthrow";
import type { SettingsEdit } from "@/cli/settingsText";
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

export interface PlanOptions {
  /** Whether the hook is for the whole team, in a file that is committed. */
  readonly shared?: boolean | undefined;
  /** The time limit of the Stop hooks, in seconds. Absent: that of an installed hook, else the default. */
  readonly limit?: number | undefined;
  /** The names of all hosts that get a hook by the same call, some of which may not be written yet. */
  readonly hosts?: readonly string[];
}

export interface InstallPlan {
  /** `file:line` of an installed gauntlet, by any path, in a file of the user or of the project. */
  readonly installedAt?: string;
  /** A change that the user may want to make. */
  readonly advice?: string;
  /** What the user has to do before the host runs the hook. */
  readonly nextStep?: string;
  /** The edits that install or update it; empty if there is nothing to do. An error explains what prevents them. */
  readonly edits: Result<readonly SettingsEdit[], string>;
}

export interface RemovalPlan {
  /** Each with `isRemovable`. */
  readonly removals: readonly SettingsEdit[];
  /** `file:line` of each hook of the gauntlet that `init` did not write in its present form. */
  readonly others: readonly string[];
  /** Why files could not be examined. */
  readonly problems: readonly string[];
}
