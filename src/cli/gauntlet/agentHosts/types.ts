/** The port for agent hosts: programs that run an agent and call `stop-hook` when it wants to stop (G27b). */
import type { JsonObject } from "@/common/json";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";

/** The fields of one hook event. Every stop loads all agent hosts, so they do not import a library. */
export interface StopInput {
  /** Absent if the input does not have the field as a boolean. */
  readonly stopHookActive?: boolean;
  /** The folder that the agent works in. */
  readonly cwd?: string;
  readonly sessionId?: string;
  /** The user's turn (G27a). */
  readonly turnId?: string;
  /** The message that the agent gets, from the user or from a Stop hook. */
  readonly prompt?: string;
}

/** A decision before a host puts it into its own format. */
export interface HostDecision {
  readonly result: RunResult;
  /** The text for the agent; present if the decision is a block. */
  readonly reason?: string;
  /** The text for the user (G25a). */
  readonly personMessage?: string;
}

/** The output of the process. Log lines on standard error are added for every host. */
export interface HostAnswer {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/** How well an input fits a host: only this host sends it, this host may have sent it, or it cannot have. */
export type InputFit = "certain" | "possible" | "foreign";

export interface AgentHost {
  /** The value of `--host`. */
  readonly name: string;
  readonly fit: (input: JsonObject) => InputFit;
  /** Variables that the host sets for its hooks. Programs inherit them, so they never outrank the input. */
  readonly ownVariables: readonly string[];
  /** The variable that holds the absolute path of the project (G24). */
  readonly projectVariable?: string;
  readonly readInput: (input: JsonObject) => StopInput;
  /** Whether `stop_hook_active: false` means that a new user turn began (G27a). */
  readonly beginsTurnWhenInactive: boolean;
  readonly limits: {
    /** The length of a reason that the host passes to the agent uncut. */
    readonly reasonChars: number;
  };
  readonly answer: (decision: HostDecision) => HostAnswer;
  /** Absent if `init` cannot install the hook. */
  readonly install?: HookInstallation;
}

/** The place and the format of a host's hooks, for `init` (G29). */
export interface HookInstallation {
  /** The host's name in questions and messages. */
  readonly title: string;
  /** All settings files that the host reads. The last one is for this user and project. */
  readonly files: (home: string, projectDir: string) => readonly HostFile[];
  readonly stop: HostHookEntry;
  readonly turnStart: HostHookEntry;
}

export interface HostFile {
  /** Absolute. */
  readonly path: string;
  /** Whether a team shares it in the repository. A path of this machine would be wrong in such a file. */
  readonly isShared: boolean;
}

export interface HostHookEntry {
  readonly event: string;
  /** The arguments of `agent-gauntlet`. */
  readonly args: string;
  /** The arguments that an earlier `init` wrote. */
  readonly earlierArgs: readonly string[];
  readonly handler: (command: string) => JsonObject & { readonly command: string };
}
