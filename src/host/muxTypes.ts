/** Types for the members of a running Mux that the hooks use. They are private to Mux, and may be missing. */
import type { ReadableStream, WritableStream } from "node:stream/web";
import type { MessagePart } from "@/common/chatMessage";

export interface HostAIService {
  emit(event: string, ...args: unknown[]): boolean;
  isStreaming(workspaceId: string): boolean;
  stopStream(workspaceId: string, options?: HostStopOptions, ...more: unknown[]): Promise<unknown>;
  getWorkspaceMetadata(workspaceId: string): Promise<HostResult<HostMetadata>>;
  /** Creates a model of the AI SDK. The third argument exists from the spring of 2026 on. */
  createModel?(
    model: string,
    providerOptions?: unknown,
    options?: { readonly agentInitiated?: boolean; readonly workspaceId?: string }
  ): Promise<HostResult<unknown>>;
}

export interface HostStopOptions {
  /** Lets the agent finish its step, before the host sends another message. */
  readonly soft?: boolean;
  /** `system` if the host stops the stream by itself, as for a compaction. */
  readonly abortReason?: string;
}

export type HostResult<T> = { success: true; data: T } | { success: false; error: unknown };

/** One conversation. Sub-agents have their own. */
export interface HostAgentSession {
  readonly workspaceId: string;
  readonly config: HostConfig;
  readonly aiService: HostAIService;
  /** Set during a compaction of the history. In newer builds the field does not exist before the first one. */
  readonly activeCompactionRequest?: unknown;
  readonly messageQueue?: { isEmpty(): boolean };
  readonly disposed?: boolean;
  /** Returns whether a turn is being prepared, streams or ends. Exists from the spring of 2026 on. */
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
  /** `projects` is a map of projects with their workspaces, which include those of sub-agents. */
  loadConfigOrDefault?(): { readonly projects?: unknown };
}

/** The options of a message, such as model, agent and thinking level. We do not validate them. */
export type HostSendOptions = Record<string, unknown> & {
  agentId?: string;
  mode?: string;
  muxMetadata?: unknown;
};

/** The options of a message that the host sends by itself. Hosts up to early 2026 have no such argument. */
export interface HostInternal {
  synthetic?: boolean;
  agentInitiated?: boolean;
}

export interface HostMetadata {
  readonly id?: string;
  readonly name: string;
  readonly projectPath: string;
  /** The path of the checkout, on hosts that provide it. */
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
  /** For `ssh`: an alias, a name, or `user@name`. */
  readonly host?: string;
  readonly port?: number;
  /** For `docker`. */
  readonly containerName?: string;
}

/** The host's own connection to the workspace's machine. */
export interface HostRuntime {
  /** Runs `bash -c` in an existing folder. Resolves when a client has started; rejects if it cannot be started. */
  exec(
    command: string,
    options: { readonly cwd: string; readonly abortSignal: AbortSignal }
  ): Promise<HostStreams>;
  getWorkspacePath(projectPath: string, name: string): string;
  /** Used with the next method for dev containers only, to find the workspace's folder in the container. */
  ensureReady?(options: {
    readonly signal: AbortSignal;
  }): Promise<{ readonly ready: boolean; readonly error?: unknown }>;
  getRemoteWorkspaceFolder?(): string | undefined;
}

export interface HostStreams {
  readonly stdin: WritableStream<Uint8Array>;
  readonly stdout: ReadableStream<Uint8Array>;
  readonly stderr: ReadableStream<Uint8Array>;
  /** The exit code of the client; negative if the client was killed. Rejects if it could not be started. */
  readonly exitCode: Promise<number>;
  readonly duration?: Promise<number>;
}

/** Payload of the AI service's `stream-end`. */
export interface HostStreamEnd {
  readonly workspaceId: string;
  readonly messageId: string;
  readonly parts?: readonly MessagePart[];
  /** `finishReason` from early 2026 on; absent means that the turn finished. */
  readonly metadata?: {
    readonly finishReason?: string;
    readonly model?: string;
    /** Of newer hosts. */
    readonly thinkingLevel?: string;
    readonly muxMetadata?: unknown;
    readonly providerMetadata?: Readonly<Record<string, unknown>>;
  };
  /** Set if an editor sent the prompt by ACP. */
  readonly acpPromptId?: string;
}

/** The members of the host's tasks that we use. Each sub-agent is a task with a workspace of its own. */
export interface HostTaskService {
  /** The service that sends the host's own reminders. It queues a message if the sub-agent is busy. */
  readonly workspaceService?: {
    sendMessage(
      workspaceId: string,
      message: string,
      options: HostSendOptions,
      internal: HostInternal
    ): Promise<HostResult<unknown>>;
  };
  getAgentTaskStatus?(childId: string): unknown;
  /** Sends the report to the parent and ends the task. */
  finalizeAgentTaskReport(
    childId: string,
    entry: HostTaskEntry | null | undefined,
    report: HostTaskReport,
    options?: { stopStream?: boolean }
  ): Promise<unknown>;
  /** Reports the last text of a sub-agent that sent no report. Exists up to the hosts of early 2026. */
  fallbackReportMissingAgentReport?(entry: HostTaskEntry): Promise<unknown>;
  /** Reports the end of a delegated turn, as of a sub-agent that works again. Exists from the summer of 2026 on. */
  finalizeWorkspaceTurnFromStreamEnd?(end: HostStreamEnd): Promise<unknown>;
  readLatestAssistantText?(childId: string): Promise<string | null>;
  /** Exists from the summer of 2026 on. */
  sendMessageToDescendantAgentTask?(
    ancestorId: string,
    childId: string,
    ...message: unknown[]
  ): Promise<HostResult<unknown>>;
}

/** A task in the host's configuration. */
export interface HostTaskEntry {
  readonly workspace: Pick<HostMetadata, "id" | "agentType" | "agentId"> & {
    readonly taskStatus?: string;
  };
}

/** A finished report, as it is passed to hooks. */
export interface Report {
  readonly childId: string;
  readonly text: string;
  /** Whether the agent's message is still being written: the report is from a tool call that has just ended. */
  readonly isEarly: boolean;
  readonly agentType?: string;
}

export interface HostTaskReport {
  readonly reportMarkdown: string;
  /** Set if the report is a plan, which has its own approval process. */
  readonly planFilePath?: string;
}
