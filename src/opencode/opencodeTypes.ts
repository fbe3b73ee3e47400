/** Types for the parts of opencode's plugin interface that the plugin uses, as recorded with opencode 1.18.33. */

export interface PluginInput {
  readonly client: OpencodeClient;
  /** The folder that opencode was started in. */
  readonly directory: string;
}

/** The hooks that a plugin returns. opencode waits for all of them, except for `event`. */
export interface PluginHooks {
  event?: (input: { event: OpencodeEvent }) => Promise<void>;
  /** A message is about to be added to a session, for example by the user. */
  "chat.message"?: (
    input: { sessionID: string },
    output: { parts?: readonly Part[] }
  ) => Promise<void>;
  "tool.execute.before"?: (call: ToolCall) => Promise<void>;
  /** `result` can be changed before the agent gets it. */
  "tool.execute.after"?: (call: ToolCall, result: ToolResult) => Promise<void>;
  /** opencode is about to end, or to load the plugin again. */
  dispose?: () => Promise<void>;
}

export interface OpencodeEvent {
  /** The same for all instances of a plugin. */
  readonly id?: string;
  readonly type: string;
  readonly properties?: unknown;
}

export interface ToolCall {
  readonly tool: string;
  readonly sessionID: string;
  readonly callID: string;
}

export interface ToolResult {
  output: string;
  readonly metadata?: unknown;
}

/** The answer of a request. `error` is set if the request failed. */
export interface Reply<T> {
  readonly data?: T;
  readonly error?: unknown;
}

interface InSession {
  readonly path: { readonly id: string };
}

export interface OpencodeClient {
  readonly session: {
    get(request: InSession): Promise<Reply<Session>>;
    /** Returns the last `limit` messages, oldest first. */
    messages(
      request: InSession & { readonly query: { readonly limit: number } }
    ): Promise<Reply<readonly Message[]>>;
    /** Sends a message. Resolves when the agent has answered it. */
    prompt(request: InSession & { readonly body: PromptBody }): Promise<Reply<unknown>>;
    abort(request: InSession): Promise<Reply<unknown>>;
  };
  readonly tui: {
    showToast(request: { readonly body: Toast }): Promise<Reply<unknown>>;
  };
  readonly app: {
    log(request: {
      readonly body: Record<"service" | "level" | "message", string>;
    }): Promise<Reply<unknown>>;
  };
}

export interface Session {
  readonly id: string;
  /** Set for the session of a sub-agent. */
  readonly parentID?: string;
  readonly directory?: string;
}

export interface Message {
  readonly info: MessageInfo;
  readonly parts: readonly Part[];
}

export interface MessageInfo {
  readonly id: string;
  readonly role: string;
  readonly time?: { readonly created?: number };
  /** Of an answer: why the model ended it. */
  readonly finish?: string;
  /** Of an answer: `MessageAbortedError` after an interrupt. */
  readonly error?: { readonly name?: string };
  /** Of an answer: the summary of a compaction. */
  readonly summary?: unknown;
  readonly agent?: string;
  /** Of a message of the user. */
  readonly model?: { readonly providerID: string; readonly modelID: string };
  readonly variant?: string;
  readonly system?: string;
  readonly tools?: Readonly<Record<string, boolean>>;
  /** Of an answer. */
  readonly modelID?: string;
}

/** A part of a message. Only texts and tool calls are used. */
export interface Part {
  readonly type: string;
  readonly text?: string;
  /** Whether opencode or a plugin added the text in place of the user. */
  readonly synthetic?: boolean;
  readonly metadata?: unknown;
  readonly tool?: string;
  readonly callID?: string;
  readonly state?: { readonly input?: unknown; readonly output?: unknown; readonly error?: string };
}

export interface PromptBody extends Pick<
  MessageInfo,
  "agent" | "model" | "variant" | "system" | "tools"
> {
  readonly parts: readonly Part[];
}

export interface Toast {
  readonly title?: string;
  readonly message: string;
  readonly variant: "info" | "warning" | "error";
  /** Milliseconds. */
  readonly duration?: number;
}
