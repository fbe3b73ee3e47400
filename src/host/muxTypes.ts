/** What of a running Mux is touched: a few members of its objects, which are private to it and may be missing. */
import type { ReadableStream, WritableStream } from "node:stream/web";

export interface HostAIService {
  emit(event: string, ...args: unknown[]): boolean;
  isStreaming(workspaceId: string): boolean;
  stopStream(workspaceId: string, ...options: unknown[]): Promise<unknown>;
  getWorkspaceMetadata(workspaceId: string): Promise<HostResult<HostMetadata>>;
}

export type HostResult<T> = { success: true; data: T } | { success: false; error: unknown };

/** One conversation; sub-agents have one of their own. */
export interface HostAgentSession {
  readonly workspaceId: string;
  readonly config: HostConfig;
  readonly aiService: HostAIService;
  /** Set while the history is summed up. Newer builds leave the field out until then. */
  readonly activeCompactionRequest?: unknown;
  readonly messageQueue?: { isEmpty(): boolean };
  readonly disposed?: boolean;
  /** From the spring of 2026 on: a turn is being prepared, streams or ends. */
  isBusy?(): boolean;
  sendMessage(
    message: string,
    options?: HostSendOptions,
    internal?: HostInternal
  ): Promise<unknown>;
  queueMessage(message: string, options?: HostSendOptions, internal?: HostInternal): unknown;
  emitChatEvent?(event: object): void;
}

export interface HostConfig {
  readonly rootDir?: string;
  getSessionDir(workspaceId: string): string;
}

/** The options of a message: model, agent, thinking level and the like, of which none is ours to judge. */
export type HostSendOptions = Record<string, unknown> & {
  agentId?: string;
  mode?: string;
  muxMetadata?: unknown;
};

/** How the host sends a message by itself. Up to the hosts of early 2026 there is no such argument. */
export interface HostInternal {
  synthetic?: boolean;
  agentInitiated?: boolean;
}

export interface HostMetadata {
  readonly id?: string;
  readonly name: string;
  readonly projectPath: string;
  /** Where the checkout lies, on hosts that say so. */
  readonly namedWorkspacePath?: string;
  readonly runtimeConfig?: HostRuntimeConfig;
  /** Set for sub-agents. */
  readonly parentWorkspaceId?: string;
  /** `scratch`: without a project. */
  readonly kind?: string;
  readonly agentType?: string;
  readonly agentId?: string;
}

export interface HostRuntimeConfig {
  readonly type?: string;
  /** Of `ssh`: an alias, a name, or `user@name`. */
  readonly host?: string;
  readonly port?: number;
  /** Of `docker`. */
  readonly containerName?: string;
}

/** The host's own way to the machine of a workspace. */
export interface HostRuntime {
  /** By `bash -c`, in a folder that is there. Resolves once a client is started; rejects where none can be. */
  exec(
    command: string,
    options: { readonly cwd: string; readonly abortSignal: AbortSignal }
  ): Promise<HostStreams>;
  getWorkspacePath(projectPath: string, name: string): string;
  /** What both of these say counts for dev containers alone: where in the container the workspace is. */
  ensureReady?(options: { readonly signal: AbortSignal }): Promise<HostReady>;
  getRemoteWorkspaceFolder?(): string | undefined;
}

export interface HostReady {
  readonly ready: boolean;
  readonly error?: unknown;
}

export interface HostStreams {
  readonly stdin: WritableStream<Uint8Array>;
  readonly stdout: ReadableStream<Uint8Array>;
  readonly stderr: ReadableStream<Uint8Array>;
  /** Of its client; below zero where that was ended. Rejects where it could not be started. */
  readonly exitCode: Promise<number>;
  readonly duration?: Promise<number>;
}

/** Payload of the AI service's `stream-end`. */
export interface HostStreamEnd {
  readonly workspaceId: string;
  readonly messageId: string;
  readonly parts?: readonly { readonly type: string; readonly text?: string }[];
  /** `finishReason` from early 2026 on; absent means that the turn finished. */
  readonly metadata?: {
    readonly finishReason?: string;
    readonly muxMetadata?: unknown;
    readonly providerMetadata?: Readonly<Record<string, unknown>>;
  };
  /** Where an editor has asked by ACP. */
  readonly acpPromptId?: string;
}
