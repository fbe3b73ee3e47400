/**
 * Runs the hooks of main agents and sub-agents in a Mux that has the events `turn.begin`, `turn.stop` and
 * `session.end`, which docs/upstream proposes: passes these events to the interceptors of stops and reports, so that no
 * class is patched.
 */
import { MESSAGE_GOES_FIRST } from "@/host/hostLog";
import type { HostAgentSession, HostSendOptions, HostStreamEnd } from "@/host/muxTypes";
import { delegationOf } from "@/host/stop/userTurns";
import type { InterceptorParts, StopInterceptor } from "@/host/stop/StopInterceptor";
import type { ReportInterceptor } from "@/host/subagent/ReportInterceptor";

/** The host's own view of a conversation. */
type HostTurnSession = Required<
  Pick<HostAgentSession, "workspaceId" | "config" | "aiService" | "emitChatEvent">
> & { hasQueuedInput(): boolean };

interface TurnBegin {
  readonly session: HostTurnSession;
  readonly options: HostSendOptions & { model: string };
  readonly origin: "user" | "host" | "continuation";
}

interface TurnStop extends Omit<TurnBegin, "origin"> {
  readonly end?: HostStreamEnd;
  /** Set instead of `end` for a sub-agent. */
  readonly report?: string;
  readonly signal: AbortSignal;
  continuation?: string;
}

/** The host's event bus. */
interface HostSpine {
  subscribe(event: "turn.begin", listener: (begin: TurnBegin) => void): void;
  subscribe(event: "session.end", listener: (end: { workspaceId: string }) => void): void;
  use(event: "turn.stop", run: (stop: TurnStop, next: () => Promise<void>) => Promise<void>): void;
}

/** Passes the host's events to the interceptors of stops and reports. */
export function subscribeToTurnEvents(
  { prototype }: { prototype: { spine(): HostSpine } },
  gate: StopInterceptor,
  reports: ReportInterceptor,
  { workspaces, cards, starts }: InterceptorParts
): void {
  const spine = prototype.spine();
  const sessions = new Map<string, PointSession>();
  const open = ({ session, options }: Omit<TurnBegin, "origin">): PointSession => {
    const opened = sessions.get(session.workspaceId) ?? new PointSession(session);
    sessions.set(session.workspaceId, opened);
    workspaces.streams(opened, options.model, options);
    return opened;
  };
  spine.subscribe("turn.begin", (begin) => {
    const workspace = { session: open(begin), options: begin.options };
    if (begin.origin === "user") {
      gate.userTurnBegins(workspace, delegationOf(begin.options.muxMetadata));
      reports.userTurnBegins(workspace);
      // The host emits the event once the machine is ready.
      starts.settle(begin.session.workspaceId);
    } else if (begin.origin === "host") gate.hostTurnBegins(workspace);
  });
  spine.use("turn.stop", async (stop, next) => {
    await next();
    const session = open(stop);
    const { workspaceId } = session;
    const { end, report, signal } = stop;
    session.continueWith = (message) => (stop.continuation ??= message);
    const interrupt = (): void => {
      if (stop.session.hasQueuedInput()) cards.notify(session, MESSAGE_GOES_FIRST, "info");
      gate.interrupt(workspaceId);
      reports.interrupt(workspaceId);
    };
    if (signal.aborted) {
      interrupt();
      return;
    }
    signal.addEventListener("abort", interrupt, { once: true });
    try {
      if (end !== undefined) {
        await new Promise<void>((resolve) => {
          gate.streamEnds(end, () => {
            resolve();
            return true;
          });
        });
      } else if (report !== undefined && reports.mayHold(workspaceId)) {
        const held = {
          ...{ childId: workspaceId, text: report, isEarly: false },
          isInterrupted: () => signal.aborted,
          continueWith: async (message: string) => void (await session.queueMessage(message)),
        };
        await reports.hold(held, () => Promise.resolve());
      }
    } finally {
      signal.removeEventListener("abort", interrupt);
    }
  });
  spine.subscribe("session.end", ({ workspaceId }) => {
    const session = sessions.get(workspaceId);
    sessions.delete(workspaceId);
    if (session === undefined) return;
    for (const each of [gate, reports, workspaces]) each.gone(session);
  });
}

/** The session of an event with the members of a patched host's session that the interceptors use. */
class PointSession implements HostAgentSession {
  continueWith: (message: string) => unknown = () => undefined;
  readonly workspaceId: string;
  readonly config: HostAgentSession["config"];
  readonly aiService: HostAgentSession["aiService"];
  readonly messageQueue = { isEmpty: (): boolean => !this.host.hasQueuedInput() };

  constructor(private readonly host: HostTurnSession) {
    this.workspaceId = host.workspaceId;
    this.config = host.config;
    this.aiService = host.aiService;
  }

  isBusy(): boolean {
    return false;
  }

  queueMessage(message: string): unknown {
    return this.continueWith(message);
  }

  sendMessage(): Promise<never> {
    return Promise.reject(new Error("the host sends the messages"));
  }

  emitChatEvent(event: object): void {
    this.host.emitChatEvent(event);
  }
}
