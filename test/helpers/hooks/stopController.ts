/** A controller for a project, with all its events for the chat. */
import {
  type FinishedTurn,
  StopHookController,
  type StopHookControllerOptions,
} from "@/node/services/hooks/stop/stopHookController";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import type { HookEvent, StopHookInput } from "@/node/services/hooks/contract/types";
import type { StopVerdict } from "@/node/services/hooks/stop/stopVerdict";

/** A project on this machine, or on another. */
export interface WatchedProject {
  readonly runtime: HookRuntime;
  readonly dir: string;
  readonly load: NonNullable<StopHookControllerOptions["load"]>;
  readonly input: StopHookInput;
}

export class WatchedController {
  readonly controller: StopHookController;
  readonly events: HookEvent[] = [];

  constructor(
    private readonly place: WatchedProject,
    options: Partial<StopHookControllerOptions> = {}
  ) {
    this.controller = new StopHookController({
      runtime: place.runtime,
      projectDir: place.dir,
      event: "Stop",
      load: place.load,
      onEvent: (event) => this.events.push(event),
      ...options,
    });
  }

  /** Begins a turn of a new controller. */
  static async begin(project: WatchedProject, options?: Partial<StopHookControllerOptions>) {
    const watched = new WatchedController(project, options);
    await watched.controller.beginTurn();
    return watched;
  }

  /** The notices to the user so far. */
  get notices(): string[] {
    return this.events.flatMap((event) => (event.type === "notice" ? [event.text] : []));
  }

  /** Ends the agent's turn. */
  async turnEnds(turn: Partial<FinishedTurn> = {}): Promise<StopVerdict> {
    return await this.controller.turnEnded({
      finish: "stop",
      hasQueuedInput: () => false,
      input: this.place.input,
      ...turn,
    });
  }
}
