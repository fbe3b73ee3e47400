/** What the scenarios know about a host: how it is configured and started, and what it shows. */
import type { ToolCall } from "@test/host/model/ScriptedModel";
import type { WireFormat } from "@test/hosts/model/wireFormat";

export interface HostPlace {
  /** The user's home. */
  readonly home: string;
  readonly project: string;
  /** The address of the scripted model, without a path. */
  readonly modelUrl: string;
}

/** The commands of the hooks that `init` installs. */
export interface HookCommands {
  readonly stop: string;
  readonly turnStart: string;
}

/** Whose settings file has the hooks. */
export type HookScope = "user" | "project";

export interface HostDriver {
  /** The name in `HOSTS` and the value of `--host`. */
  readonly name: string;
  readonly format: WireFormat;
  /** The environment of the host, in addition to `HOME` and `PATH`. */
  readonly env: (place: HostPlace) => Readonly<Record<string, string>>;
  /** The files that make the host use the model and trust the project, with absolute paths. */
  readonly files: (place: HostPlace) => Readonly<Record<string, string>>;
  /** The settings file with the hooks, as `init` writes it: its absolute path and its content. */
  readonly hooks: (
    place: HostPlace,
    commands: HookCommands,
    scope: HookScope
  ) => { readonly path: string; readonly content: object | string };
  /** Makes the user trust the hooks, where the host asks for it. */
  readonly trust?: (
    start: readonly string[],
    env: NodeJS.ProcessEnv,
    project: string
  ) => Promise<void>;
  /** The arguments that make the host answer one message and exit. */
  readonly begin: (message: string) => readonly string[];
  /** The arguments that continue the last session. */
  readonly resume: (message: string) => readonly string[];
  /** Calls of the host's own tools, one after the other, that replace the only line of a file. */
  readonly edit: (path: string, before: string, after: string) => readonly ToolCall[];
  /** What a run without a terminal prints of a message to the user. */
  readonly shows: "message" | "nothing";
  /**
   * The messages for which it runs the hook of a new message, apart from those of the user: the reason of a failed stop,
   * and the results of tools, without a text.
   */
  readonly announces: readonly ("reason" | "results")[];
  /** Whether an interrupt of the host kills its hooks, which then leave a lock that the next run takes over. */
  readonly killsHooks: boolean;
}

/** Returns the hooks in the form of Claude Code. */
export function claudeHooks({ stop, turnStart }: HookCommands): object {
  return {
    Stop: [{ hooks: [{ type: "command", command: stop, timeout: 300 }] }],
    UserPromptSubmit: [{ hooks: [{ type: "command", command: turnStart }] }],
  };
}
