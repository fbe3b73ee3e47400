/**
 * Prepares the hooks of a workspace's turn when it begins, with the plan (the hooks and settings) that the turn keeps
 * (H7), and opens the `WorkspaceHooks` that runs them at its end. If no file can configure a hook, it loads nothing.
 */
import { describeError } from "@/common/errors";
import { userMayHaveHooks } from "@/host/workspace/mayHaveHooks";
import * as workspaces from "@/host/workspace/liveWorkspaces";
import type * as Engine from "@/host/hostEngineExports";
import type { HostAgentSession } from "@/host/muxTypes";
import type { WorkspaceHooks, WorkspaceHooksOptions } from "@/host/session/WorkspaceHooks";
import type { FrozenTurn } from "@/node/services/hooks/index";

/** The objects that the turns of all workspaces share. */
export interface TurnParts extends Pick<WorkspaceHooksOptions, "place" | "cards"> {
  readonly checkouts: workspaces.WorkspaceLocator;
  /** Loads the engine, once. */
  readonly engine: () => Promise<typeof Engine>;
}

/** The differences between the turns of main agents (`Stop`) and of sub-agents (`SubagentStop`). */
export interface TurnKind {
  readonly event: WorkspaceHooksOptions["event"];
  /** Returns whether hooks may be configured for the workspace. Does not wait. */
  hasHookFiles(checkout: workspaces.Checkout): boolean;
  /** Returns the plan of the parent's turn. */
  turnOfParent?(checkout: workspaces.Checkout): Promise<FrozenTurn | undefined>;
  /** Reports a workspace on a machine to which the host provides no connection. */
  onOutOfReach?(session: HostAgentSession, checkout: workspaces.Checkout): void;
}

/** A function that returns the plan of the turn in which another agent requested this turn. */
type FindPlan = (checkout: workspaces.Checkout) => Promise<FrozenTurn | undefined>;

export class PreparedHooks {
  #controller: Promise<WorkspaceHooks> | undefined;
  #opened: WorkspaceHooks | undefined;
  /** Where the controller looks for hooks, and runs them. */
  #location: workspaces.Checkout | undefined;
  /**
   * The hooks that the turn began with.
   * - `possible`: some may run, or the preparations have not finished.
   * - `no-files`: no file configured any, and nothing was loaded.
   * - `none-found`: another machine was searched, and has none.
   */
  #hooks: "possible" | "no-files" | "none-found" = "possible";
  #prepared: Promise<void> = Promise.resolve();

  constructor(
    private readonly kind: TurnKind,
    private readonly parts: TurnParts
  ) {}

  /** The controller, if one was opened. */
  get controller(): Promise<WorkspaceHooks> | undefined {
    return this.#controller;
  }

  /** The controller, once it is open. */
  get opened(): WorkspaceHooks | undefined {
    return this.#opened;
  }

  /**
   * Starts the preparations of a new turn of the user.
   *
   * @param started resolves when the host has prepared the machine and the checkout on it
   */
  begin(session: HostAgentSession, started: Promise<void>, findPlan?: FindPlan): void {
    // `no-files` stays until the files are checked again.
    if (this.#hooks === "none-found") this.#hooks = "possible";
    this.#prepared = this.#prepare(session, started, findPlan).catch((thrown: unknown) => {
      // The end of the turn reports a machine that is out of reach.
      if (this.parts.checkouts.get(session.workspaceId)?.remote === true) return;
      this.parts.cards.notify(
        session,
        `the ${this.kind.event} hooks of this turn could not be prepared when it began, so they are read at its end: ${describeError(thrown)}`
      );
    });
  }

  /** Returns whether hooks may run at the end of the turn. Does not wait, and loads nothing. */
  mayRunHooks(checkout: workspaces.Checkout): boolean {
    if (!this.#isOurs(checkout)) return false;
    if (!workspaces.isLocallyReadable(checkout)) return !this.#hasNoHooks();
    return this.#controller !== undefined || this.kind.hasHookFiles(checkout);
  }

  /** Returns the controller of the prepared turn, or undefined if no hook can run. */
  async controllerAtEnd(session: HostAgentSession): Promise<WorkspaceHooks | undefined> {
    await this.#prepared;
    if (this.#hasNoHooks()) return undefined;
    if (this.#controller === undefined) {
      const checkout = await this.parts.checkouts.find(session);
      if (!this.#isOurs(checkout) || !this.kind.hasHookFiles(checkout)) return undefined;
    }
    const controller = await this.#open(session);
    if (this.#hooks === "no-files") {
      await controller.beginTurn(false);
      this.#hooks = "possible";
    }
    return controller;
  }

  /** Returns the plan of the turn, or undefined if none is known, as after a restart of the host. */
  async plan(): Promise<FrozenTurn | undefined> {
    await this.#prepared;
    if (this.#hooks === "no-files") return (await this.parts.engine()).FrozenTurn.EMPTY;
    return (await this.#controller)?.turn;
  }

  /** Disposes of the controller, and forgets it. */
  async close(): Promise<void> {
    const disposed = this.dispose();
    this.#controller = undefined;
    this.#opened = undefined;
    await disposed;
  }

  /** Disposes of the controller, and keeps it, so that a stop in progress opens no other. */
  async dispose(): Promise<void> {
    await this.#controller?.then((controller) => controller.dispose()).catch(() => undefined);
  }

  async #prepare(
    session: HostAgentSession,
    started: Promise<void>,
    findPlan?: FindPlan
  ): Promise<void> {
    const checkout = await this.parts.checkouts.find(session);
    if (workspaces.isOutOfReach(checkout)) this.kind.onOutOfReach?.(session, checkout);
    const isOurs = this.#isOurs(checkout);
    const isConfigured = isOurs && this.kind.hasHookFiles(checkout);
    const plan = isOurs ? await findPlan?.(checkout) : undefined;
    const isBare = !isConfigured && plan === undefined && this.#controller === undefined;
    this.#hooks = isBare ? "no-files" : "possible";
    if (isBare) return;
    if (checkout.remote) await started;
    const controller = await this.#open(session);
    const hasHooks = await controller.beginTurn(isConfigured, plan);
    this.#hooks = hasHooks || workspaces.isLocallyReadable(checkout) ? "possible" : "none-found";
  }

  async #open(session: HostAgentSession): Promise<WorkspaceHooks> {
    // A user may have renamed the workspace of a main agent.
    if (this.kind.event === "Stop") this.#moveTo(await this.parts.checkouts.find(session));
    this.#controller ??= this.#create(session).catch((thrown: unknown) => {
      // The next turn tries again.
      this.#controller = undefined;
      throw thrown;
    });
    const opened = await this.#controller;
    this.#opened = opened;
    return opened;
  }

  #moveTo(checkout: workspaces.Checkout): void {
    const { dir, runtime } = checkout;
    if (this.#location?.dir !== dir || this.#location.runtime !== runtime) void this.close();
    this.#location = checkout;
  }

  async #create(session: HostAgentSession): Promise<WorkspaceHooks> {
    const { checkouts, engine, place, cards } = this.parts;
    const [loaded, checkout] = await Promise.all([engine(), checkouts.find(session)]);
    const turn = await this.kind.turnOfParent?.(checkout);
    const { event } = this.kind;
    return await loaded.WorkspaceHooks.open({ session, checkout, place, cards, event, turn });
  }

  /** Returns whether the workspace has an agent of this kind, and can be reached. */
  #isOurs(checkout: workspaces.Checkout): boolean {
    const isMainAgent = checkout.metadata.parentWorkspaceId === undefined;
    return isMainAgent === (this.kind.event === "Stop") && !workspaces.isOutOfReach(checkout);
  }

  /** Returns whether no hook can run: the project had none when the turn began, and the user has none now (H7). */
  #hasNoHooks(): boolean {
    return this.#hooks === "none-found" && !userMayHaveHooks(this.parts.place);
  }
}
