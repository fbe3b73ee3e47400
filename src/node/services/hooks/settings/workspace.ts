/** Locations of the files that configure a workspace. */
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import type { BuiltinHooks } from "@/node/services/hooks/contract/builtinHooks";
import type { MachineView } from "@/node/services/hooks/settings/cache/machineView";

/** Locations of the user's own files. */
export interface UserPaths {
  readonly env: Readonly<NodeJS.ProcessEnv>;
  readonly home: string;
}

export interface Workspace extends UserPaths {
  readonly runtime: HookRuntime;
  /** Absolute. */
  readonly projectDir: string;
  /** The machine of the user's files, which may be that of the workspace. */
  readonly host: MachineView;
  readonly project: MachineView;
  readonly builtins: BuiltinHooks;
}

/** Access to the files of Claude Code. */
export type ClaudePlace = Omit<Workspace, "builtins">;
