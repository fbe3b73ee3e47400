/**
 * Runs the SubagentStop hooks of Mux's sub-agents: holds a report until they allow the stop, so that the parent waits,
 * and gets only the last report (H28a). If no hooks can be configured, the report passes synchronously; after an
 * interrupt or an error of the engine, it is delivered as well.
 */
import { describeError } from "@/common/errors";
import { hasHookFiles } from "@/host/workspace/mayHaveHooks";
import { hasQueued, type HostWorkspace } from "@/host/workspace/liveWorkspaces";
import type { HostAgentSession, HostSendOptions, Report } from "@/host/muxTypes";
import type { InterceptorParts, StopInterceptor } from "@/host/stop/StopInterceptor";
import { PreparedHooks, type TurnKind } from "@/host/turn/PreparedHooks";

/** A report with the task that it belongs to. */
export interface HeldReport extends Report {
  /** Whether it ends a delegated turn. Other messages begin turns that the host does not report. */
  readonly isDelegated?: boolean;
  /** Returns whether the task was interrupted. */
  isInterrupted(): boolean;
  /** Sends a message to the sub-agent. Rejects if the host cannot. */
  continueWith(message: string, options: HostSendOptions): Promise<void>;
}

/**
 * The result of the host's method for a report that is not the last. Older hosts ignore it. For the end of a delegated
 * turn, any true value means that it is handled.
 */
const NOT_YET = {
  finalized: false,
  reason: "pending_guidance",
  message:
    "A SubagentStop hook requested a continuation, so this report is not delivered to the parent agent. Continue the work, then report again.",
} as const;

/** The state of one sub-agent. */
interface Child {
  readonly turn: PreparedHooks;
  /** Set while hooks check its report. */
  hold?: AbortController;
  /** The report that was not delivered. */
  veto?: { readonly turn: HostWorkspace; readonly isEarly: boolean; readonly texts: Set<string> };
}

export class ReportInterceptor {
  readonly #children = new Map<string, Child>();
  readonly #kind: TurnKind = {
    event: "SubagentStop",
    // A sub-agent keeps the plan of its parent's turn (H7). Its own checkout does not matter.
    hasHookFiles: (checkout) => {
      const parentId = checkout.metadata.parentWorkspaceId ?? "";
      const hasPlan =
        this.#children.get(parentId)?.turn.controller !== undefined || this.main.hasPlan(parentId);
      return hasPlan || hasHookFiles(checkout, this.parts.place);
    },
    turnOfParent: async ({ metadata }) => {
      // The parent may be a sub-agent itself.
      const parentId = metadata.parentWorkspaceId ?? "";
      const parent = await this.#children.get(parentId)?.turn.controller;
      return parent?.turn ?? (await this.main.turnOf(parentId));
    },
  };

  /** @param main has the turns of the main agents */
  constructor(
    private readonly parts: InterceptorParts,
    private readonly main: Pick<StopInterceptor, "hasPlan" | "turnOf">
  ) {}

  /** Handles a message of the parent or a user to the agent of this workspace. */
  userTurnBegins(workspace: HostWorkspace): void {
    this.#turnBegins(workspace, this.parts.starts.next(workspace.session.workspaceId));
  }

  /** Handles a message of the parent that the host sends as its own. The turn of the message may have begun already. */
  parentSentMessage(childId: string): void {
    const workspace = this.parts.workspaces.get(childId);
    if (workspace !== undefined) this.#turnBegins(workspace, Promise.resolve());
  }

  #turnBegins(workspace: HostWorkspace, started: Promise<void>): void {
    if (!this.parts.isOn() || isReminder(workspace.options)) return;
    const { session } = workspace;
    this.#childOf(session.workspaceId).turn.begin(session, started);
  }

  /** Returns whether hooks may check a report, as far as that is known synchronously. */
  mayHold(childId: string): boolean {
    const { workspaces, checkouts, place, isOn } = this.parts;
    if (!isOn() || place.env.MUX_HOOK_EVENT || !workspaces.get(childId)) return false;
    const checkout = checkouts.get(childId);
    return checkout === undefined || this.#childOf(childId).turn.mayRunHooks(checkout);
  }

  /** Resolves with the result of the host's method, or with {@link NOT_YET} if the report was not the last. */
  async hold(report: HeldReport, deliver: () => Promise<unknown>): Promise<unknown> {
    const child = this.#childOf(report.childId);
    const hold = new AbortController();
    child.hold = hold;
    const isLast = await this.#decide(report, child, hold.signal).catch((thrown: unknown) => {
      delete child.veto;
      const session = this.parts.workspaces.get(report.childId)?.session;
      this.parts.cards.notify(
        session,
        `the report of a sub-agent was delivered because its SubagentStop hooks failed: ${describeError(thrown)}`
      );
      return true;
    });
    if (child.hold === hold) delete child.hold;
    return isLast ? await deliver() : NOT_YET;
  }

  /**
   * Handles an interrupt of a sub-agent or its parent: the hooks end, and the host treats the report as usual.
   *
   * @param isBySystem whether the host interrupts by itself, as for a compaction. The sub-agents then go on.
   */
  interrupt(workspaceId: string, isBySystem = false): void {
    for (const [childId, { hold }] of this.#children) {
      const parentId = this.parts.checkouts.get(childId)?.metadata.parentWorkspaceId;
      if (workspaceId === childId || (workspaceId === parentId && !isBySystem)) hold?.abort();
    }
  }

  /** Returns what background hooks left for the sub-agent since its last message (H11, H41). */
  takeFindings({ workspaceId }: HostAgentSession): string | undefined {
    return this.#children.get(workspaceId)?.turn.opened?.takeFindings();
  }

  gone(session: HostAgentSession): void {
    const { workspaceId } = session;
    if (this.parts.workspaces.get(workspaceId)?.session !== session) return;
    const child = this.#children.get(workspaceId);
    this.#children.delete(workspaceId);
    void child?.turn.dispose();
  }

  /** Returns whether the report is the last. If not, the sub-agent continues to the next one. */
  async #decide(report: HeldReport, child: Child, signal: AbortSignal): Promise<boolean> {
    const workspace = this.parts.workspaces.get(report.childId);
    if (workspace === undefined) return true;
    if (isEcho(report, workspace, child)) return false;
    const controller = await child.turn.controllerAtEnd(workspace.session);
    if (controller === undefined) return true;

    /** Returns whether the sub-agent received a message or no longer exists. Its next report is then the relevant one. */
    const isOutdated = (): boolean =>
      this.parts.workspaces.get(report.childId) !== workspace || hasQueued(workspace.session);
    const verdict = await controller.reportReady(report, workspace.options, isOutdated, signal);
    if (isOutdated()) return report.isDelegated === true;
    if (verdict.action === "end" || signal.aborted || report.isInterrupted()) return true;
    child.veto = { turn: workspace, isEarly: report.isEarly, texts: new Set([report.text]) };
    await report.continueWith(verdict.message, unforced(workspace.options));
    return false;
  }

  #childOf(workspaceId: string): Child {
    const known = this.#children.get(workspaceId);
    const child = known ?? { turn: new PreparedHooks(this.#kind, this.parts) };
    if (known === undefined) this.#children.set(workspaceId, child);
    return child;
  }
}

/**
 * Returns whether this is the same report again. Hosts of January 2026 take it from the tool call and again when the
 * message ends, and the next turn may have begun by then.
 */
function isEcho({ text, isEarly }: Report, turn: HostWorkspace, child: Child): boolean {
  const { veto } = child;
  if (veto === undefined) return false;
  if (veto.turn === turn) {
    veto.texts.add(text);
    return true;
  }
  delete child.veto;
  return veto.isEarly && !isEarly && veto.texts.has(text);
}

/** Returns whether the host requested the report in a turn in which the agent may do nothing else. */
function isReminder({ toolPolicy }: HostSendOptions): boolean {
  return Array.isArray(toolPolicy) && toolPolicy.some(isForced);
}

function isForced(rule: unknown): boolean {
  return (rule as { action?: unknown } | null)?.action === "require";
}

/** Returns the options of a turn in which the agent may use all its tools. */
function unforced(options: HostSendOptions): HostSendOptions {
  if (!isReminder(options)) return options;
  const { toolPolicy, additionalSystemInstructions, ...rest } = options;
  return { ...rest, toolPolicy: (toolPolicy as unknown[]).filter((rule) => !isForced(rule)) };
}
