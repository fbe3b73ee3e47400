/**
 * Runs the Stop hooks of Mux's main agents: holds the event `stream-end` until the hooks have ended, and queues their
 * message if they send the agent back. An interrupt or a queued message of a person ends the hooks early (H28). Records
 * for each workspace why the last stop was not verified, and shows it to the user.
 */
import { setImmediate as nextTick, setTimeout as delay } from "node:timers/promises";
import type { MessagePart } from "@/common/chatMessage";
import { describeError } from "@/common/errors";
import { isJsonObject } from "@/common/json";
import { hasHookFiles, mayNeedHint } from "@/host/workspace/mayHaveHooks";
import { hasQueued, type HostWorkspace, type LiveSessions } from "@/host/workspace/liveWorkspaces";
import { type Delegation, delegationOf, withoutDelegation } from "@/host/stop/userTurns";
import { markContinued } from "@/host/stop/patchAcpAgent";
import { Handover } from "@/host/stop/Handover";
import type { StreamStarts } from "@/host/stop/StreamStarts";
import { PreparedHooks, type TurnKind, type TurnParts } from "@/host/turn/PreparedHooks";
import { MESSAGE_GOES_FIRST, TURN_INTERRUPTED } from "@/host/hostLog";
import type { FrozenTurn } from "@/node/services/hooks/index";
import type { HostAgentSession, HostStreamEnd } from "@/host/muxTypes";

export interface InterceptorParts extends TurnParts {
  readonly workspaces: LiveSessions;
  readonly starts: StreamStarts;
  /** Returns whether the host's AI service is patched. Without it, no `stream-end` can be held. */
  readonly isOn: () => boolean;
  /** Returns whether a `mux acp` with the hooks runs. */
  readonly isEditorAttached: () => boolean;
}

/** The state of one workspace across its turns. */
interface MainAgent {
  readonly turn: PreparedHooks;
  /** The end of the last stream: it waits for the hooks, it was passed to the host, or the turn continues after it. */
  end: PendingStreamEnd | "passed" | "continues";
  /** Why the last stop was not verified; absent if it was, or if no hook is configured. */
  unverified?: string | undefined;
}

const EXIT_LIMIT_MS = 5_000;
/** How long a message that a person has typed waits for the hooks. */
const QUEUE_GRACE_MS = 2_000;

/** A `stream-end` event that is held until the hooks have ended. */
class PendingStreamEnd {
  #isOver = false;

  constructor(private readonly emit: (continues: boolean) => void) {}

  isOver(): boolean {
    return this.#isOver;
  }

  release(continues: boolean): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.emit(continues);
  }
}

export class StopInterceptor {
  readonly #agents = new Map<string, MainAgent>();
  readonly #handover = new Handover();
  readonly #kind: TurnKind = {
    event: "Stop",
    hasHookFiles: (checkout) =>
      hasHookFiles(checkout, this.parts.place) || mayNeedHint(checkout, this.parts.place),
    onOutOfReach: (session, { metadata }) => {
      // One line for all such workspaces.
      if (this.#hasReportedRemote) return;
      this.#hasReportedRemote = true;
      this.parts.cards.notify(
        session,
        `hooks do not run in ${metadata.runtimeConfig?.type ?? "remote"} workspaces, because this version of Mux provides no connection to their machines`
      );
    },
  };
  #hasReportedRemote = false;
  #hasReportedEditor = false;
  /** {@link MainAgent.unverified} of the last stop of any workspace. `mux run` has one. */
  #unverified: string | undefined;

  constructor(private readonly parts: InterceptorParts) {}

  /** Prepares the hooks of a new turn of the user, which is about to stream. */
  userTurnBegins(workspace: HostWorkspace, delegation?: Delegation): void {
    if (!this.parts.isOn()) return;
    const { session } = workspace;
    const started = this.parts.starts.next(session.workspaceId);
    const agent = this.#agentOf(session);
    this.#setUnverified(agent, undefined);
    agent.turn.begin(session, started, async ({ metadata }) => {
      if (delegation === undefined) return undefined;
      // The turn keeps the plan of the turn in which the agent delegated it, unless that is in another project.
      const { ownerWorkspaceId } = delegation;
      const owner = this.parts.checkouts.get(ownerWorkspaceId);
      if (owner?.metadata.projectPath !== metadata.projectPath) return undefined;
      return await this.turnOf(ownerWorkspaceId);
    });
  }

  /** Handles a turn that the host begins by itself, as for a goal (H25). Notifies the user of an unverified stop. */
  hostTurnBegins({ session, options }: HostWorkspace): void {
    const agent = this.#agents.get(session.workspaceId);
    if (agent?.end !== "passed" || isCompaction(session, options)) return;
    agent.turn.opened?.beginHostTurn();
    if (agent.unverified === undefined) return;
    this.parts.cards.notifyInNext(
      session,
      `Mux continues by itself, but the last stop was not verified: ${agent.unverified}`
    );
  }

  /** Why the last stop was not verified, or undefined. */
  get unverified(): string | undefined {
    return this.#unverified;
  }

  /**
   * Holds the end of a stream if hooks may run. Otherwise the event passes synchronously.
   *
   * @param emit passes the event to the host's listeners, with the metadata that they need if the turn continues
   * @returns the return value of the host's `emit`
   */
  streamEnds(end: HostStreamEnd, emit: (end: HostStreamEnd) => boolean): boolean {
    const known = this.#agents.get(end.workspaceId);
    const workspace = this.parts.workspaces.get(end.workspaceId);
    // A compaction may come before the continuation.
    const isOther = workspace !== undefined && isCompaction(workspace.session, workspace.options);
    if (known?.end === "continues" && !isOther) known.end = "passed";
    if (workspace === undefined || !this.#mayRun(end, workspace)) return emit(end);
    const { session } = workspace;
    const agent = this.#agentOf(session);
    this.parts.cards.useMessage(session, end.messageId);
    const pending = new PendingStreamEnd((continues) => {
      if (agent.end === pending) agent.end = continues ? "continues" : "passed";
      try {
        emit(continues ? markContinued(withoutDelegation(end)) : end);
      } catch (thrown) {
        // The caller has returned, so an exception of one of the host's listeners would be uncaught.
        const text = `an error in Mux after the hooks of a turn ended: ${describeError(thrown)}`;
        this.parts.cards.notify(session, text);
      }
    });
    agent.end = pending;
    void this.#decide(end, workspace, agent, pending)
      .catch((thrown: unknown) => {
        const problem = `the Stop hooks could not be run: ${describeError(thrown)}`;
        this.parts.cards.notify(session, problem);
        this.#setUnverified(agent, problem);
        return false;
      })
      .then((continues) => {
        pending.release(continues);
      });
    return true;
  }

  /** Returns whether the current turn may have a plan, even if no file configures a hook anymore. */
  hasPlan(workspaceId: string): boolean {
    return this.#agents.get(workspaceId)?.turn.controller !== undefined;
  }

  /** Returns the plan of the current turn, or undefined if it is unknown, as after a restart of the host. */
  async turnOf(workspaceId: string): Promise<FrozenTurn | undefined> {
    return await this.#agents.get(workspaceId)?.turn.plan();
  }

  /** Returns whether a turn waits for its hooks, or its continuation has not started. */
  isHeld(workspaceId: string): boolean {
    return (
      this.#agents.get(workspaceId)?.end instanceof PendingStreamEnd ||
      this.#handover.isUnderWay(workspaceId)
    );
  }

  /** Returns what background hooks left for the agent since the last message of the user (H11, H41). */
  takeFindings({ workspaceId }: HostAgentSession): string | undefined {
    return this.#agents.get(workspaceId)?.turn.opened?.takeFindings();
  }

  messageSent(session: HostAgentSession, sent: Promise<unknown>): void {
    this.#handover.sends(session, sent);
  }

  /** Returns whether the last turn continues. Its continuation is then in the queue. */
  continues(workspaceId: string): boolean {
    return this.#agents.get(workspaceId)?.end === "continues";
  }

  /**
   * Ends the turn before the host interrupts the agent. The results of the hooks are discarded.
   *
   * @param isBySystem whether the host does so by itself, as for a compaction. A continuation resumes afterwards.
   */
  interrupt(workspaceId: string, isBySystem = false): void {
    const agent = this.#agents.get(workspaceId);
    if (agent === undefined) return;
    if (agent.end === "continues" && !isBySystem) agent.end = "passed";
    this.#endNow(agent, TURN_INTERRUPTED);
  }

  /** Handles a message that a person has queued. It waits for running hooks only for a grace period (H28). */
  messageQueued(session: HostAgentSession): void {
    const agent = this.#agents.get(session.workspaceId);
    const pending = agent?.end;
    if (agent === undefined || !(pending instanceof PendingStreamEnd)) return;
    setTimeout(() => {
      // The person may have taken it back.
      if (pending.isOver() || !hasQueued(session)) return;
      this.parts.cards.notify(session, MESSAGE_GOES_FIRST, "info");
      this.#endNow(agent, turnCutOff(undefined));
    }, QUEUE_GRACE_MS);
  }

  /** Ends the hooks that run, and passes the end of the turn to the host. */
  #endNow(agent: MainAgent, reason: string): void {
    if (!(agent.end instanceof PendingStreamEnd)) return;
    // Before the controller is open, no hook runs, and none starts once the end has passed.
    agent.turn.opened?.cancel();
    agent.end.release(false);
    this.#setUnverified(agent, reason);
  }

  gone({ workspaceId }: HostAgentSession): void {
    this.interrupt(workspaceId);
    this.parts.checkouts.forget(workspaceId);
    this.parts.starts.settle(workspaceId);
    this.#handover.forget(workspaceId);
    const agent = this.#agents.get(workspaceId);
    this.#agents.delete(workspaceId);
    void agent?.turn.dispose();
  }

  /**
   * Ends background hooks, writes pending records and removes our files from another machine before the host exits. The
   * host does not wait afterwards, and it cannot remove the session's folder while a record is written.
   */
  async leave(workspaceId: string): Promise<void> {
    const turn = this.#agents.get(workspaceId)?.turn;
    if (turn?.controller === undefined) return;
    await Promise.race([turn.close(), delay(EXIT_LIMIT_MS, undefined, { ref: false })]);
  }

  #agentOf({ workspaceId }: HostAgentSession): MainAgent {
    const known = this.#agents.get(workspaceId);
    if (known !== undefined) return known;
    const agent: MainAgent = { turn: new PreparedHooks(this.#kind, this.parts), end: "passed" };
    this.#agents.set(workspaceId, agent);
    return agent;
  }

  #setUnverified(agent: MainAgent, unverified: string | undefined): void {
    agent.unverified = unverified;
    this.#unverified = unverified;
  }

  /** Returns whether hooks may run, as far as that is known synchronously. */
  #mayRun(end: HostStreamEnd, { session, options }: HostWorkspace): boolean {
    const { workspaceId, metadata, messageId, parts = [] } = end;
    const { cards, checkouts, place } = this.parts;
    if (session.disposed === true || place.env.MUX_HOOK_EVENT) return false;
    if (isCompaction(session, options)) return false;
    const agent = this.#agentOf(session);
    const checkout = checkouts.current(workspaceId);
    if (checkout !== undefined && !agent.turn.mayRunHooks(checkout)) {
      this.#setUnverified(agent, undefined);
      return false;
    }
    const { finishReason } = metadata ?? {};
    const isFinished = finishReason === undefined || finishReason === "stop";
    const waits = (isFinished || finishReason === "tool-calls") && endsWithQuestion(parts);
    const isQueued = hasQueued(session);
    if (isFinished && !waits && !isQueued) return true;
    const cutOff = turnCutOff(isQueued ? undefined : finishReason);
    this.#setUnverified(agent, waits ? "a question or a plan waits for you" : cutOff);
    if (!isFinished && !waits && !isQueued && this.hasPlan(workspaceId)) {
      cards.useMessage(session, messageId);
      cards.show(session, notVerified(agent.unverified));
    }
    return false;
  }

  /** Runs the hooks. Returns whether the agent continues; its message is then in the host's queue. */
  async #decide(
    end: HostStreamEnd,
    { session, options }: HostWorkspace,
    agent: MainAgent,
    pending: PendingStreamEnd
  ): Promise<boolean> {
    const { cards } = this.parts;
    const controller = await agent.turn.controllerAtEnd(session);
    if (controller === undefined) {
      this.#setUnverified(agent, undefined);
      return false;
    }
    // Lets the host finish its own work at the end of a stream before a program starts.
    await nextTick();
    if (pending.isOver()) return false;
    const warnings = cards.warningsIn(session);
    const verdict = await controller.turnEnded(end, options, () => hasQueued(session));
    // The state may have changed while the hooks ran.
    if (pending.isOver()) return false;
    if (verdict.action === "end" || session.disposed === true || hasQueued(session)) {
      const reason = verdict.action === "end" ? verdict.reason : turnCutOff(undefined);
      const isVerified = verdict.action === "end" && verdict.unverified !== true;
      this.#setUnverified(agent, isVerified ? undefined : reason);
      // Unless a warning has already notified the user, or a message of the user waits.
      const isNews = !hasQueued(session) && cards.warningsIn(session) === warnings;
      if (agent.unverified !== undefined && isNews)
        cards.show(session, notVerified(agent.unverified));
      return false;
    }
    this.#setUnverified(agent, "the hooks sent the agent back, and it has not stopped since");
    if (end.acpPromptId !== undefined && !this.#hasReportedEditor) {
      this.#hasReportedEditor = true;
      if (!this.parts.isEditorAttached())
        cards.notify(
          session,
          'your editor gets an answer before the hooks allow the stop, because its `mux acp` runs without hooks; set its agent command to "mux-stop-hooks hooks attach -- mux acp" and start it again'
        );
    }
    // The count after a restart (H27) and the host's report depend on the metadata.
    const muxMetadata = { ...delegationOf(end.metadata?.muxMetadata), stopHookActive: true };
    // Older hosts have no internal messages.
    const internal =
      session.queueMessage.length > 2 ? [{ synthetic: true, agentInitiated: true }] : [];
    session.queueMessage(verdict.message, { ...options, muxMetadata }, ...internal);
    this.#handover.queued(session);
    return true;
  }
}

function notVerified(why = ""): string {
  return `this turn ended, but it was not verified: ${why}`;
}

/** Returns why a stop was not verified. @param finish why the model stopped, if it is known */
function turnCutOff(finish: string | undefined): string {
  return finish === undefined || finish === "stop"
    ? "another message was sent first"
    : `the turn did not end by itself (${finish})`;
}

/** The tools whose calls wait for the user. */
const QUESTION = "ask_user_question";
const PLAN = "propose_plan";

/** Returns whether an answer ends with a question or a plan that waits for the user (H28). */
function endsWithQuestion(parts: readonly MessagePart[]): boolean {
  const at = parts.findLastIndex((part) => part.type === "dynamic-tool");
  const last = parts[at];
  if (last?.type !== "dynamic-tool") return false;
  // Older hosts let the agent write closing text after its plan. A call that failed made no plan.
  if (last.toolName === PLAN) return !(isJsonObject(last.output) && last.output.success === false);
  // Visible text after a question means that the user has answered it.
  const hasText = (part: MessagePart): boolean => part.type === "text" && part.text.trim() !== "";
  return last.toolName === QUESTION && !parts.slice(at + 1).some(hasText);
}

/** Returns whether a turn only compacts the history. */
function isCompaction(
  { activeCompactionRequest }: HostAgentSession,
  { agentId }: HostWorkspace["options"]
): boolean {
  return activeCompactionRequest !== undefined || agentId === "compact";
}
