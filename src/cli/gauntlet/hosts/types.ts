/**
 * The types of an agent host, a program that runs an agent and, when the agent wants to stop, calls `stop-hook` or the
 * engine of this package: its input, its answers, and the hooks that `init` installs for it (G27b, G29).
 */
import type { JsonObject } from "@/common/json";
import type { Finding } from "@/cli/gauntlet/doctor/finding";
import type { InitPlace } from "@/cli/gauntlet/init/targetProject";
import type { HookCommand, HookPrograms } from "@/cli/gauntlet/init/hooks/hookProgram";
import type { HookSyntax } from "@/cli/gauntlet/init/hooks/hookSyntax";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import type { FileHandler, HookFormat } from "@/node/services/hooks/index";

/** The fields of one hook event. Every stop loads all agent hosts, so they do not import a library. */
export interface StopInput {
  /** Absent if the input does not have the field as a boolean. */
  readonly stopHookActive?: boolean;
  /** The folder that the agent works in. */
  readonly cwd?: string;
  readonly sessionId?: string;
  /** The user's turn (G27a). */
  readonly turnId?: string;
  /** Absent if the host gives its stops no ID, so that its hooks for one stop run at the same time (G40). */
  readonly stopId?: string;
  /** Whether the user or an error ended the turn, so that nothing is to be checked. */
  readonly isAborted?: boolean;
  /** Whether the agent may only plan, so that no file may change (G35). */
  readonly isPlanning?: boolean;
  /** The message that the agent gets, from the user or from a Stop hook. */
  readonly prompt?: string;
  /** As the host sends it. Only an absolute path is read. */
  readonly transcriptPath?: string;
  /** The agent's last message (G38). */
  readonly lastMessage?: string;
  /** The tasks in the background, as the host describes them (G39). */
  readonly backgroundTasks?: readonly unknown[];
}

/** A decision before a host puts it into its own format. */
export interface HostDecision {
  readonly result: RunResult;
  /** The text for the agent; present if, and only if, the decision is a block. */
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

/** The input and the answers of a host, as `stop-hook` and `turn-start` use them. */
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
  /** Whether the last message in the input has all messages of the turn. The transcript is that of Gemini CLI (G38). */
  readonly joinsMessages?: boolean;
  /** Whether the host shows a `systemMessage` that the hook of a new message prints (G27a). */
  readonly showsAtTurnStart: boolean;
  /** Whether the agent gets the `additionalContext` that this hook prints (G27a). */
  readonly takesContext?: true;
  readonly limits: {
    /** The length of a reason that the host passes to the agent uncut. */
    readonly reasonChars: number;
    /** Whether the host sends no second stop of a turn, so that a fix is not checked. */
    readonly isOnce?: boolean;
  };
  readonly answer: (decision: HostDecision) => HostAnswer;
}

/** A program whose hook `init` installs. */
export interface HookHost {
  /** The value of `--hook`. */
  readonly name: string;
  /**
   * The row of the table in docs/agents.md, in Markdown: how long an agent is held whose gates fail, besides the retry
   * limit; what the user sees of an end without verification; the host's own limit of blocks in a row; whose trust it
   * needs before it runs the hook; how this was tried.
   */
  readonly about: string;
  readonly install: HookInstallation;
}

/** An agent host that calls `stop-hook`, and whose hooks `init` installs. */
export type KnownHost = AgentHost &
  HookHost & { readonly install: { readonly turnStart: HostHookEntry } };

/** The place and the format of a host's hooks, for `init`, `uninstall`, `doctor` and other commands (G29). */
export interface HookInstallation {
  /** The host's name in questions and messages. */
  readonly title: string;
  /** The names of its program on PATH. */
  readonly programs: readonly string[];
  /** The folders of its settings in a project, if they show that the project uses the host. */
  readonly folders: readonly string[];
  /** Folders in the home or in the project that are a sign of the host without a program on PATH. */
  readonly ownFolders?: readonly string[];
  /** All settings files that the host reads. */
  readonly files: (place: HostPlace) => readonly HostFile[];
  /** Folders in which the host reads every `.json` file as settings. Absolute. */
  readonly hookFolders?: (place: HostPlace) => readonly string[];
  /** The syntax of the files, or the format of JSON with handlers by event. Absent: the format of Claude Code. */
  readonly format?: HookFormat | (() => Promise<HookSyntax>);
  /** A second file that the host needs, by its path relative to the folder of the first one. */
  readonly companion?: { readonly path: string; readonly text: string };
  readonly stop: HostHookEntry;
  /** Absent if the host observes new messages itself. */
  readonly turnStart?: HostHookEntry;
  /** Whether the host shows the `statusMessage` of a Stop hook while it runs. */
  readonly showsStatus?: true;
  /** Hosts whose Stop hooks in the files of a project this host runs as well. */
  readonly alsoRuns?: readonly HookHost[];
  /** A host whose Stop hooks this host runs as well while a setting of this host is on. */
  readonly mayRun?: { readonly host: HookHost; readonly setting: string };
  /** The name of a file with hooks. If it is beside a settings file, the host does not read the hooks of the settings. */
  readonly outrankedBy?: string;
  /** Returns what the user has to do before the host runs the hook. */
  readonly nextStep?: (isShared: boolean) => string | undefined;
  /** Absent if the hook is a command of `agent-gauntlet`. */
  readonly engine?: HostEngine;
  /** Returns what `doctor` reports of this host only. */
  readonly examine?: (
    hooks: readonly InstalledHook[],
    place: InitPlace,
    layers: readonly Layer[]
  ) => Promise<Finding[]>;
}

/**
 * A hook that is not a command, because the host loads the engine of this package. It needs trust in the checkout
 * (H31).
 */
export interface HostEngine {
  /** The row of the second table in docs/agents.md, in Markdown: what happens in each situation. */
  readonly situations: string;
  /** Parses a handler that `init` wrote. Returns undefined for any other one. */
  readonly parse: (name: string, fields: JsonObject) => HookCommand | undefined;
  /** Returns what handlers name as the program. */
  readonly findPrograms: (place: InitPlace, isShared: boolean) => Promise<HookPrograms>;
  /** Returns the absolute path that has to exist for a program that a file names. */
  readonly pathOf?: (program: string, file: string) => string;
  /** Tries a program whose path exists. */
  readonly tryPath?: (path: string, place: InitPlace) => Promise<Finding>;
  /** Returns the settings files, if that needs access to them. */
  readonly listFiles?: (place: InitPlace) => Promise<readonly HostFile[]>;
  /** Returns the place of each hook that the host finds, also in files that `init` does not write. */
  readonly findAll?: (place: InitPlace) => Promise<{ file: string; line: number }[]>;
}

/** A settings file of a host with its content. */
export interface Layer {
  readonly file: HostFile;
  /** Empty if the file does not exist or cannot be read. */
  readonly source: string;
  /** Why an existing file cannot be read. */
  readonly problem?: string;
}

/** A hook of the gauntlet in a settings file, as init, uninstall, doctor, status and trust see it (G29). */
export interface InstalledHook {
  readonly entry: HostHookEntry;
  readonly layer: Layer;
  readonly handler: FileHandler;
  /** `file:line`. */
  readonly at: string;
  /** Whether another hook for the same event is before it, in the same file or in one that is listed before. */
  readonly isTwice: boolean;
  /** The words that start the gauntlet, in a form that only `init` writes. */
  readonly program?: string;
  /** A path in it that does not exist. Absent unless the hook is broken. */
  readonly missing?: string;
  /**
   * The entry with the time limit of the handler. Absent for a foreign hook, which `init` did not write in this form, so
   * that it is not changed. Present also for an outdated hook, which only `init` recognizes, because it tries programs.
   */
  readonly written?: HostHookEntry;
}

export type HostPlace = Pick<InitPlace, "home" | "projectDir" | "env">;

/** A settings file that a host reads. */
export interface HostFile {
  /** Absolute. */
  readonly path: string;
  /** Whether a team shares it in the repository. */
  readonly isShared: boolean;
  /** The scopes whose hooks `init` writes to this file: for this user, or for the whole team. */
  readonly targetOf: readonly ("personal" | "shared")[];
  /** Whether the file is TOML, in which `init` only finds hooks. */
  readonly isToml?: boolean;
  /** Why `init` and `uninstall` do not change it. */
  readonly refusal?: string;
}

/** The time that a host gives a hook before it ends the hook's process. */
export interface HostLimit {
  /** The name of the field in the handler. */
  readonly field: string;
  /** 1,000 if the field is in milliseconds. */
  readonly perSecond: 1 | 1_000;
  /** Without the field. */
  readonly defaultS: number;
  /** The value from which on the host takes seconds for milliseconds. */
  readonly millisecondsFrom?: number;
  /** The maximum. The host rejects a file with more. */
  readonly maxS?: number;
}

/** A hook of the gauntlet for one event, as `init` writes it. */
export interface HostHookEntry {
  readonly event: string;
  /** The arguments of `agent-gauntlet`. */
  readonly args: string;
  /** The arguments that an earlier `init` wrote. */
  readonly earlierArgs: readonly string[];
  /** Fields of the handler besides its type and its command. */
  readonly fields: JsonObject;
  /** Absent if `init` leaves it to the host. */
  readonly limit?: HostLimit;
  /** Returns the entry with another time limit, in seconds. Absent if it has none. */
  readonly withLimit?: (seconds: number) => HostHookEntry;
}
