/** A minimal running Mux: an emitter, a session and a queue, with the Stop interceptor attached. */
import { EventEmitter, once } from "node:events";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { attachService, attachSession } from "@/host/stop/patchTurns";
import { ChatCards } from "@/host/session/ChatCards";
import { WorkspaceLocator, LiveSessions } from "@/host/workspace/liveWorkspaces";
import type {
  HostInternal,
  HostMetadata,
  HostRuntime,
  HostSendOptions,
  HostStreamEnd,
} from "@/host/muxTypes";
import { isEditorAttached } from "@/host/HostStatusFile";
import { StopInterceptor, type InterceptorParts } from "@/host/stop/StopInterceptor";
import { StreamStarts } from "@/host/stop/StreamStarts";
import { loadHookSettings, LocalRuntime, recordTrust, type TrustPolicy } from "@/index";
import { findTrustStore } from "@/wiring";
import { putFile, tempDir } from "@test/helpers/tempDir";
import { eventually } from "@test/helpers/soon";

interface Queued {
  readonly message: string;
  readonly options: HostSendOptions | undefined;
  readonly internal: unknown;
}

/** Creates a host with one workspace, built like the real ones: an emitter, a session, a queue. */
export async function makeHost({
  hook,
  metadata,
  far,
  isWorktree = false,
  workspaceId = "w1",
  ...setup
}: Setup = {}) {
  const home = await tempDir();
  const project = join(home, "project");
  const dir = isWorktree ? join(home, "worktree") : project;
  for (const checkout of [project, dir]) {
    await mkdir(join(checkout, ".mux"), { recursive: true });
    if (hook !== undefined) await writeHook(checkout, hook);
  }
  const trust = isWorktree ? {} : { MUX_HOOKS_TRUST: "always" };
  const place = { env: { PATH: process.env.PATH, ...trust }, home };

  class AIService extends EventEmitter {
    isStreaming(workspaceId: string): boolean {
      return workspaceId === "none";
    }
    stopStream(...stopped: [workspaceId: string, ...options: unknown[]]): Promise<unknown> {
      return Promise.resolve(stopped);
    }
    getWorkspaceMetadata() {
      const data = { name: "lab", projectPath: project, namedWorkspacePath: dir, ...metadata };
      return Promise.resolve({ success: true as const, data });
    }
  }
  class AgentSession {
    readonly workspaceId = workspaceId;
    readonly queue: Queued[] = [];
    readonly messageQueue = { isEmpty: () => this.queue.length === 0 };
    readonly config = { getSessionDir: (id: string) => join(home, "sessions", id) };
    readonly chat: object[] = [];
    constructor(readonly aiService: AIService) {}
    sendMessage(
      ...[, options]: [message: string, options?: HostSendOptions, internal?: HostInternal]
    ): Promise<unknown> {
      return this.streamWithHistory("claude", options);
    }
    streamWithHistory(...streamed: [model: string, options?: HostSendOptions]): Promise<unknown> {
      return Promise.resolve(streamed);
    }
    queueMessage(message: string, options?: HostSendOptions, internal?: HostInternal): void {
      this.queue.push({ message, options, internal });
    }
    emitChatEvent(event: object): void {
      this.chat.push(event);
    }
    dispose(): void {
      this.chat.length = 0;
    }
  }

  const lines: string[] = [];
  const variables: string[] = [];
  const workspaces = new LiveSessions();
  const checkouts = new WorkspaceLocator();
  if (far !== undefined) checkouts.useHelpers({ createRuntimeForWorkspace: () => far });
  const starts = new StreamStarts();
  const cards = new ChatCards((text) =>
    (text.startsWith("MUX_HOOKS_TRUST") ? variables : lines).push(text)
  );
  const parts: InterceptorParts = {
    workspaces,
    checkouts,
    starts,
    engine: () => import("@/host/hostEngineExports"),
    place,
    cards,
    isOn: () => true,
    isEditorAttached: () => isEditorAttached(place),
    ...setup.parts,
  };
  const gate = new StopInterceptor(parts);
  attachService(AIService, gate, starts);
  attachSession(AgentSession, [gate], { workspaces, cards });

  const service = new AIService();
  const session = new AgentSession(service);
  const ended: HostStreamEnd[] = [];
  service.on("stream-end", (end: HostStreamEnd) => ended.push(end));
  return {
    ...{ home, dir, AIService, service, session, ended, lines, variables },
    ...{ gate, parts, workspaces, checkouts, starts, place },
  };
}

/** Writes the script hook of a checkout. */
export async function writeHook(checkout: string, line: string, name = "stop"): Promise<void> {
  await putFile(join(checkout, ".mux", name), `#!/bin/sh\n${line}\n`, 0o755);
}

/** Returns an engine that cannot be loaded until `mend` is called. */
export function brokenEngine(reason: string) {
  let isBroken = true;
  const engine: InterceptorParts["engine"] = async () => {
    if (isBroken) throw new Error(reason);
    return await import("@/host/hostEngineExports");
  };
  return { engine, mend: () => void (isBroken = false) };
}

/** Trusts the definitions of the project on this machine. */
export async function trustProject({ home, place }: AttachedHost): Promise<void> {
  const local = new LocalRuntime();
  const store = await findTrustStore(local, place);
  if (store === undefined) throw new Error("there is no place for a record");
  const trust: TrustPolicy = {
    decide: async (request) => {
      (await recordTrust(store, request, new Date()))._unsafeUnwrap();
      return { trusted: true };
    },
  };
  await loadHookSettings(local, join(home, "project"), { ...place, trust });
}

export interface Setup {
  readonly hook?: string;
  readonly metadata?: Partial<HostMetadata>;
  readonly parts?: Partial<InterceptorParts>;
  /** The host's runtime for a workspace on another machine. */
  readonly far?: HostRuntime;
  /** Whether its checkout is a worktree outside of the project, which is not trusted yet. */
  readonly isWorktree?: boolean;
  readonly workspaceId?: string;
}

export const END: HostStreamEnd = {
  workspaceId: "w1",
  messageId: "m1",
  parts: [
    { type: "text", text: "I am " },
    { type: "text", text: "done." },
  ],
};

export type AttachedHost = Awaited<ReturnType<typeof makeHost>>;

/** Sends a message of the user, whose answer is then streamed. */
export async function userSays(host: AttachedHost, options: HostSendOptions = {}): Promise<void> {
  await host.session.sendMessage("Hello", options);
  await host.checkouts.find(host.session);
}

/** Creates a host, and sends a message of its user. */
export async function inTurn(setup: Setup, options?: HostSendOptions): Promise<AttachedHost> {
  const host = await makeHost(setup);
  await userSays(host, options);
  return host;
}

/** Sends a message of the user, and ends its turn. */
export async function wholeTurn(host: AttachedHost, end?: Partial<HostStreamEnd>): Promise<void> {
  await userSays(host);
  await endTurn(host, end);
}

/** Emits the end of a turn, and resolves when the host's listeners receive it. */
export async function endTurn({ service }: AttachedHost, end: Partial<HostStreamEnd> = {}) {
  const heard = once(service, "stream-end");
  service.emit("stream-end", { ...END, ...end });
  await heard;
}

export async function pidOf(path: string): Promise<number> {
  return await eventually(async () => {
    const pid = Number.parseInt(await readFile(path, "utf8"), 10);
    expect(pid).toBeGreaterThan(0);
    return pid;
  });
}
