/**
 * Holds a sub-agent's report back until its SubagentStop hooks agree (H28a): the parent waits meanwhile, and gets the
 * last report alone. Where nothing can be configured the report passes at once and in the same call.
 */
import { definedOnly } from "@/common/definedOnly";
import { describeError } from "@/common/errors";
import { hasHookFiles } from "@/host/workspace/quickConfigCheck";
import type { Checkout } from "@/host/workspace/WorkspaceLocator";
import type { SubagentController } from "@/host/session/SubagentController";
import type { HostAgentSession, HostSendOptions } from "@/host/muxTypes";
import { REPORT_HELD, reportDelivered } from "@/host/messages";
import type { FrozenTurn } from "@/node/services/hooks/index";
import { hasQueued, type HostWorkspace } from "@/host/workspace/Workspaces";
import type { InterceptorParts, StopInterceptor } from "@/host/stop/StopInterceptor";
import { HeldTurn, type TurnKind } from "@/host/turn/HeldTurn";
import type { Report } from "@/host/muxTaskTypes";

/** A report, and the task that it is of. */
export interface HeldReport extends Report {
  /** Whether somebody has put an end to the task. */
  isInterrupted(): boolean;
  /** Rejects where the sub-agent cannot be sent anything. */
  continueWith(message: string, options: HostSendOptions): Promise<void>;
}

/** What the host's own method says of a report that is not the last; older hosts do not ask. */
const NOT_YET = {
  finalized: false,
  reason: "pending_guidance",
  message: REPORT_HELD,
} as const;

/** What is known of one sub-agent. */
interface Child {
  readonly turn: HeldTurn<SubagentController>;
  /** While hooks look at its report. */
  hold?: AbortController;
  veto?: Veto;
}

/** A report that was not let through. */
interface Veto {
  readonly turn: HostWorkspace;
  readonly isEarly: boolean;
  readonly texts: Set<string>;
}

export class ReportInterceptor {
  readonly #children = new Map<string, Child>();
  readonly #kind: TurnKind<SubagentController> = {
    event: "SubagentStop",
    hasHookFiles: (checkout) => this.#hasHookFiles(checkout),
    open: async ({ SubagentController }, options) => {
      const turn = await this.#turnOfParent(options.checkout);
      return await SubagentController.open({ ...options, ...definedOnly({ turn }) });
    },
  };

  /** @param main knows the turns of the main agents */
  constructor(
    private readonly parts: InterceptorParts,
    private readonly main: Pick<StopInterceptor, "hasPlan" | "turnOf">
  ) {}

  /** The parent, or a user, has sent the agent of this workspace a message. */
  userTurnBegins(workspace: HostWorkspace): void {
    this.#turnBegins(workspace, this.parts.starts.next(workspace.session.workspaceId));
  }

  /** {@link userTurnBegins}, where the host passes a parent's message on as its own, in a turn that may have begun. */
  parentSentMessage(childId: string): void {
    const workspace = this.parts.workspaces.get(childId);
    if (workspace !== undefined) this.#turnBegins(workspace, Promise.resolve());
  }

  #turnBegins(workspace: HostWorkspace, started: Promise<void>): void {
    if (!this.parts.isOn()) return;
    if (isReminder(workspace.options)) return;
    const { session } = workspace;
    this.#childOf(session.workspaceId).turn.begin(session, started);
  }

  /** Whether hooks may want to see a report; told without waiting. */
  mayHold(childId: string): boolean {
    const { workspaces, checkouts, place } = this.parts;
    if (!this.parts.isOn() || place.env.MUX_HOOK_EVENT) return false;
    if (workspaces.get(childId) === undefined) return false;
    const checkout = checkouts.get(childId);
    return checkout === undefined || this.#childOf(childId).turn.mayRunHooks(checkout);
  }

  /** Resolves with what the host's own method does, or with a word that the report was not the last. */
  async hold(report: HeldReport, deliver: () => Promise<unknown>): Promise<unknown> {
    const child = this.#childOf(report.childId);
    const hold = new AbortController();
    child.hold = hold;
    const isLast = await this.#decide(report, child, hold.signal).catch((thrown: unknown) => {
      delete child.veto;
      this.parts.log(reportDelivered(describeError(thrown)));
      return true;
    });
    if (child.hold === hold) delete child.hold;
    return isLast ? await deliver() : NOT_YET;
  }

  /** A user stops the sub-agent or its parent: the hooks end, and the report is as the host would have it. */
  interrupt(workspaceId: string): void {
    for (const [childId, { hold }] of this.#children) {
      const parentId = this.parts.checkouts.get(childId)?.metadata.parentWorkspaceId;
      if (workspaceId === childId || workspaceId === parentId) hold?.abort();
    }
  }

  gone(session: HostAgentSession): void {
    const { workspaceId } = session;
    if (this.parts.workspaces.get(workspaceId)?.session !== session) return;
    const child = this.#children.get(workspaceId);
    this.#children.delete(workspaceId);
    void child?.turn.dispose();
  }

  /** Whether the report is the last. If not, the sub-agent is on its way to the next. */
  async #decide(report: HeldReport, child: Child, signal: AbortSignal): Promise<boolean> {
    const workspace = this.parts.workspaces.get(report.childId);
    if (workspace === undefined) return true;
    if (isEcho(report, workspace, child)) return false;
    const controller = await child.turn.controllerAtEnd(workspace.session);
    if (controller === undefined) return true;

    /** A message reached the sub-agent, or it is no more. What it is about to say counts, and not what it said. */
    const isOutdated = (): boolean =>
      this.parts.workspaces.get(report.childId) !== workspace || hasQueued(workspace.session);
    const verdict = await controller.reportReady(report, workspace.options, isOutdated, signal);
    if (isOutdated()) return false;
    if (verdict.action === "end" || signal.aborted || report.isInterrupted()) return true;
    child.veto = { turn: workspace, isEarly: report.isEarly, texts: new Set([report.text]) };
    await report.continueWith(verdict.message, unforced(workspace.options));
    return false;
  }

  /** A sub-agent may itself have been started by one. */
  async #turnOfParent({ metadata }: Checkout): Promise<FrozenTurn | undefined> {
    const parentId = metadata.parentWorkspaceId ?? "";
    const parent = await this.#children.get(parentId)?.turn.controller;
    return parent?.turn ?? (await this.main.turnOf(parentId));
  }

  /** A sub-agent keeps the plan of its parent's turn (H7), so what it finds in its checkout does not matter. */
  #hasHookFiles(checkout: Checkout): boolean {
    const parentId = checkout.metadata.parentWorkspaceId ?? "";
    const hasPlan =
      this.#children.get(parentId)?.turn.controller !== undefined || this.main.hasPlan(parentId);
    return hasPlan || hasHookFiles(checkout, this.parts.place);
  }

  #childOf(workspaceId: string): Child {
    const known = this.#children.get(workspaceId);
    const child = known ?? { turn: new HeldTurn(this.#kind, this.parts) };
    if (known === undefined) this.#children.set(workspaceId, child);
    return child;
  }
}

/**
 * The same report once more: hosts of January 2026 take it from the call that makes it and again when the message
 * ends, by which time the next turn may have begun.
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

/** The host had to ask for the report, and lets the agent do nothing else in that turn. */
function isReminder({ toolPolicy }: HostSendOptions): boolean {
  return Array.isArray(toolPolicy) && toolPolicy.some(isForced);
}

function isForced(rule: unknown): boolean {
  return (rule as { action?: unknown } | null)?.action === "require";
}

/** The options of a turn in which the agent may do whatever the report still wants. */
function unforced(options: HostSendOptions): HostSendOptions {
  if (!isReminder(options)) return options;
  const { toolPolicy, additionalSystemInstructions, ...rest } = options;
  return { ...rest, toolPolicy: (toolPolicy as unknown[]).filter((rule) => !isForced(rule)) };
}
