/**
 * Holds the host's `stream-end` until the Stop hooks have spoken. Nobody in the host sees the turn end before; where
 * they want the agent to go on, its own queue carries the message (H28). Where nothing can be configured the event
 * passes at once and in the same call.
 */
import { setImmediate as nextTick, setTimeout as delay } from "node:timers/promises";
import { describeError } from "@/common/errors";
import { isStillBare, hasHookFiles, type CandidatePlace } from "@/host/workspace/quickConfigCheck";
import {
  isLocallyReadable,
  isOutOfReach,
  type Checkout,
  type WorkspaceLocator,
} from "@/host/workspace/WorkspaceLocator";
import { continuationMetadata, type Delegation, unreported } from "@/host/stop/delegation";
import { markContinued } from "@/host/stop/editorPrompts";
import { Handover } from "@/host/stop/Handover";
import type { HostController } from "@/host/session/HostController";
import type * as Engine from "@/host/engine";
import type { FrozenTurn } from "@/node/services/hooks/index";
import type { HostAgentSession, HostRuntime, HostStreamEnd } from "@/host/muxTypes";
import type { HostWorkspace, Workspaces } from "@/host/workspace/Workspaces";
import type { StreamStarts } from "@/host/stop/StreamStarts";

export interface InterceptorParts {
  readonly workspaces: Workspaces;
  readonly checkouts: WorkspaceLocator;
  readonly starts: StreamStarts;
  /** Loads the engine, once. */
  readonly engine: () => Promise<typeof Engine>;
  readonly place: CandidatePlace;
  readonly log: (text: string) => void;
  /** Whether the host's AI service is attached to: without it no end can be held. */
  readonly isOn: () => boolean;
}

/** What is known of one workspace from turn to turn. */
interface Turns {
  controller?: Promise<HostController>;
  /** Where the controller looks for hooks, and runs them. */
  dir?: string;
  runtime?: HostRuntime;
  /** The preparations of the turn that runs: its hooks are those that stood there when it began (H7). */
  begun: Promise<void>;
  /** Nothing was configured when it began, and nothing was loaded for it. */
  hadNoHookFilesAtStart?: boolean;
  /** Nothing was found on another machine when it began. */
  hadNoHooksAtStart?: boolean;
  hold?: PendingStreamEnd;
  /** Whether the turn that ended last goes on. */
  continues?: boolean;
}

const LEAVE_MS = 5_000;

/** A `stream-end` that waits. */
class PendingStreamEnd {
  #isOver = false;

  constructor(private readonly emit: (continues: boolean) => void) {}

  get isOver(): boolean {
    return this.#isOver;
  }

  release(continues: boolean): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.emit(continues);
  }
}

export class StopInterceptor {
  readonly #turns = new Map<string, Turns>();
  readonly #handover = new Handover();
  #saidRemote = false;

  constructor(private readonly parts: InterceptorParts) {}

  /** The turn that begins to stream is a new one of the user's. */
  userTurnBegins(workspace: HostWorkspace, delegation?: Delegation): void {
    if (!this.parts.isOn()) return;
    const turns = this.#turnsOf(workspace);
    const { workspaceId } = workspace.session;
    turns.hadNoHooksAtStart = false;
    const started = this.parts.starts.next(workspaceId);
    const begun = this.#begin(workspace, turns, { started, delegation });
    turns.begun = begun.catch((thrown: unknown) => {
      // Of a machine that is out of reach the end of the turn tells.
      if (this.parts.checkouts.get(workspaceId)?.remote === true) return;
      this.parts.log(`Stop hooks of this turn: ${describeError(thrown)}`);
    });
  }

  /**
   * @param emit gets the event as the host is to see it
   * @returns what the host's own `emit` would
   */
  streamEnds(end: HostStreamEnd, emit: (end: HostStreamEnd) => boolean): boolean {
    const workspace = this.parts.workspaces.get(end.workspaceId);
    const known = this.#turns.get(end.workspaceId);
    if (known !== undefined) known.continues = false;
    if (workspace === undefined || !this.#mayRun(end, workspace)) return emit(end);
    const turns = this.#turnsOf(workspace);
    const hold = new PendingStreamEnd((continues) => {
      turns.continues = continues;
      this.#pass(() => emit(continues ? markContinued(unreported(end)) : end));
    });
    turns.hold = hold;
    void this.#decide(end, workspace, turns)
      .catch((thrown: unknown) => {
        this.parts.log(`the Stop hooks could not be run: ${describeError(thrown)}`);
        return false;
      })
      .then((continues) => {
        if (turns.hold === hold) delete turns.hold;
        hold.release(continues);
      });
    return true;
  }

  /** Whether a turn there may have a plan, also where its files hold no hooks by now. */
  hasPlan(workspaceId: string): boolean {
    return this.#turns.get(workspaceId)?.controller !== undefined;
  }

  /** The plan of the turn that runs there; absent where none is known, as after a restart of the host. */
  async turnOf(workspaceId: string): Promise<FrozenTurn | undefined> {
    const turns = this.#turns.get(workspaceId);
    await turns?.begun;
    if (turns?.hadNoHookFilesAtStart === true) {
      const { FrozenTurn } = await this.parts.engine();
      return FrozenTurn.EMPTY;
    }
    return (await turns?.controller)?.turn;
  }

  /** Returns whether a turn waits for its hooks, or its continuation has not started. */
  isHeld(workspaceId: string): boolean {
    const isWaiting = this.#turns.get(workspaceId)?.hold !== undefined;
    return isWaiting || this.#handover.isUnderWay(workspaceId);
  }

  messageSent(session: HostAgentSession, sent: Promise<unknown>): void {
    this.#handover.sends(session, sent);
  }

  /** Whether the turn that ended last goes on: then its continuation is in the queue. */
  continues(workspaceId: string): boolean {
    return this.#turns.get(workspaceId)?.continues === true;
  }

  /** The user stops the agent: the turn ends first, as the host has it, and whatever hooks said does not count. */
  interrupt(workspaceId: string): void {
    const turns = this.#turns.get(workspaceId);
    const hold = turns?.hold;
    if (turns === undefined || hold === undefined) return;
    delete turns.hold;
    void turns.controller?.then(
      (controller) => {
        controller.cancel();
      },
      () => undefined
    );
    hold.release(false);
  }

  gone({ workspaceId }: HostAgentSession): void {
    this.interrupt(workspaceId);
    this.parts.checkouts.forget(workspaceId);
    this.parts.starts.settle(workspaceId);
    this.#handover.forget(workspaceId);
    const turns = this.#turns.get(workspaceId);
    this.#turns.delete(workspaceId);
    void turns?.controller?.then((controller) => controller.dispose()).catch(() => undefined);
  }

  /** What lies on another machine is taken away before the host leaves, which then waits for nobody. */
  async leave(workspaceId: string): Promise<void> {
    const turns = this.#turns.get(workspaceId);
    const { controller } = turns ?? {};
    if (this.parts.checkouts.get(workspaceId)?.remote !== true || controller === undefined) return;
    delete turns?.controller;
    const left = controller.then((opened) => opened.dispose()).catch(() => undefined);
    await Promise.race([left, delay(LEAVE_MS, undefined, { ref: false })]);
  }

  #turnsOf({ session }: HostWorkspace): Turns {
    const known = this.#turns.get(session.workspaceId);
    const turns = known ?? { begun: Promise.resolve() };
    if (known === undefined) this.#turns.set(session.workspaceId, turns);
    return turns;
  }

  async #begin(
    workspace: HostWorkspace,
    turns: Turns,
    { started, delegation }: { started: Promise<void>; delegation: Delegation | undefined }
  ): Promise<void> {
    const { checkouts, place } = this.parts;
    const checkout = await checkouts.find(workspace.session);
    if (isOutOfReach(checkout)) this.#sayRemote(checkout);
    const isConfigured = isOurs(checkout) && hasHookFiles(checkout, place);
    const plan = isOurs(checkout) ? await this.#planOfOwner(checkout, delegation) : undefined;
    turns.hadNoHookFilesAtStart =
      !isConfigured && plan === undefined && turns.controller === undefined;
    if (turns.hadNoHookFilesAtStart) return;
    // The host makes another machine ready first, and the checkout on it.
    if (checkout.remote) await started;
    const controller = await this.#controllerOf(workspace, turns);
    const isFound = await controller.beginTurn(isConfigured, plan);
    turns.hadNoHooksAtStart = !isFound && !isLocallyReadable(checkout);
  }

  /** The plan of the user's turn in which the agent delegates. That of another project says nothing of this one's. */
  async #planOfOwner(
    { metadata }: Checkout,
    delegation: Delegation | undefined
  ): Promise<FrozenTurn | undefined> {
    if (delegation === undefined) return undefined;
    const { ownerWorkspaceId } = delegation;
    const owner = this.parts.checkouts.get(ownerWorkspaceId);
    if (owner?.metadata.projectPath !== metadata.projectPath) return undefined;
    return await this.turnOf(ownerWorkspaceId);
  }

  /** What a listener of the host's throws would by now reach nobody, and end the host. */
  #pass(emit: () => boolean): void {
    try {
      emit();
    } catch (thrown) {
      this.parts.log(`the host failed at the end of a turn: ${describeError(thrown)}`);
    }
  }

  /** Once: whoever has such workspaces has several. */
  #sayRemote({ metadata }: Checkout): void {
    if (this.#saidRemote) return;
    this.#saidRemote = true;
    const kind = metadata.runtimeConfig?.type ?? "remote";
    this.parts.log(
      `hooks do not run in ${kind} workspaces: this host gives no way to their machine`
    );
  }

  /** Everything that can be told without waiting. */
  #mayRun({ workspaceId, metadata }: HostStreamEnd, { session, options }: HostWorkspace): boolean {
    const { checkouts, place } = this.parts;
    const { finishReason } = metadata ?? {};
    if (finishReason !== undefined && finishReason !== "stop") return false;
    if (session.activeCompactionRequest !== undefined || options.agentId === "compact")
      return false;
    if (session.disposed === true || hasQueued(session) || place.env.MUX_HOOK_EVENT) return false;
    const checkout = checkouts.current(workspaceId);
    if (checkout === undefined) return true;
    if (!isOurs(checkout)) return false;
    const turns = this.#turns.get(workspaceId);
    if (!isLocallyReadable(checkout)) return turns === undefined || !isStillBare(turns, place);
    return hasHookFiles(checkout, place) || turns?.controller !== undefined;
  }

  /** Whether the agent goes on; its message is then in the host's queue. */
  async #decide(end: HostStreamEnd, workspace: HostWorkspace, turns: Turns): Promise<boolean> {
    const { session, options } = workspace;
    const { hold } = turns;
    const checkout = await this.parts.checkouts.find(session);
    if (!isOurs(checkout)) return false;
    await turns.begun;
    if (isStillBare(turns, this.parts.place)) return false;
    const controller = await this.#controllerOf(workspace, turns);
    // What the host has to do between the end of the stream and the start of a program is done first.
    await nextTick();
    if (turns.hadNoHookFilesAtStart === true) await controller.beginTurn(false);
    turns.hadNoHookFilesAtStart = false;
    if (hold === undefined || isOver(hold)) return false;
    const verdict = await controller.turnEnded(end, options, () => hasQueued(session));
    // Much may have happened while the hooks ran.
    const isLate = isOver(hold) || session.disposed === true || hasQueued(session);
    if (verdict.action === "end" || isLate) return false;
    queueContinuation(session, verdict.message, {
      ...options,
      muxMetadata: continuationMetadata(end),
    });
    this.#handover.queued(session);
    return true;
  }

  async #controllerOf({ session }: HostWorkspace, turns: Turns): Promise<HostController> {
    const { dir, runtime } = await this.parts.checkouts.find(session);
    if (turns.dir !== dir || turns.runtime !== runtime) {
      // The workspace was renamed; its transcript knows how far the turn is.
      void turns.controller?.then((controller) => controller.dispose()).catch(() => undefined);
      delete turns.controller;
      turns.dir = dir;
      if (runtime !== undefined) turns.runtime = runtime;
    }
    return await (turns.controller ??= this.#createController(session).catch((thrown: unknown) => {
      // The next turn tries again.
      delete turns.controller;
      throw thrown;
    }));
  }

  async #createController(session: HostAgentSession): Promise<HostController> {
    const { checkouts, engine, place, log } = this.parts;
    const [{ HostController }, checkout] = await Promise.all([engine(), checkouts.find(session)]);
    return await HostController.open({ session, checkout, event: "Stop", place, log });
  }
}

function isOurs(checkout: Checkout): boolean {
  return checkout.metadata.parentWorkspaceId === undefined && !isOutOfReach(checkout);
}

/** Asked anew each time: while something is awaited, the answer changes. */
function isOver(hold: PendingStreamEnd): boolean {
  return hold.isOver;
}

function hasQueued({ messageQueue }: HostAgentSession): boolean {
  return messageQueue?.isEmpty() === false;
}

/** Queues the continuation, as an internal message if the host supports that. */
function queueContinuation(
  session: HostAgentSession,
  message: string,
  options: HostWorkspace["options"]
): void {
  const takesInternal = session.queueMessage.length > 2;
  const internal = takesInternal ? [{ synthetic: true, agentInitiated: true }] : [];
  session.queueMessage(message, options, ...internal);
}
