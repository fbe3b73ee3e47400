/** The commands that `init` writes to the settings files of a host (G29). */
import type { Result } from "neverthrow";
import type { HostHookEntry } from "@/cli/gauntlet/agentHosts/types";
import { findCloneProgram } from "@/cli/gauntlet/init/hooks/cloneProgram";
import type { Layer, LayerHook } from "@/cli/gauntlet/init/hooks/hookLayers";
import type { InitPlace, PlanOptions } from "@/cli/gauntlet/init/hooks/hookPlan";
import {
  CLONE_PROGRAMS,
  findHookProgram,
  PROGRAM_NAME,
} from "@/cli/gauntlet/init/hooks/hookProgram";

export class HookCommands {
  private constructor(
    /** The words that start the gauntlet on this machine. */
    private readonly personal: string,
    /** The words that start it in every clone. Absent unless the hook is for the whole team. */
    private readonly shared?: Result<string, string>
  ) {}

  static async find(place: InitPlace, { shared }: PlanOptions): Promise<HookCommands> {
    const personal = await findHookProgram(place);
    return shared === true
      ? new HookCommands(personal, await findCloneProgram(place))
      : new HookCommands(personal);
  }

  /** Why no hook can be added for the whole team, if that was requested. */
  get problem(): string | undefined {
    return this.shared?.isErr() === true ? this.shared.error : undefined;
  }

  /**
   * Returns the command of an entry in a file.
   *
   * @param current the words that start the gauntlet in the entry that is updated
   */
  commandOf({ args }: HostHookEntry, layer: Layer, current?: string): string {
    return `${this.#programOf(layer, current)} ${args}`;
  }

  isOutdated(entry: HostHookEntry, { layer, handler, written }: LayerHook): boolean {
    if (written === undefined) return false;
    return handler.command !== this.commandOf(entry, layer, written.program);
  }

  #programOf(layer: Layer, current: string | undefined): string {
    const shared = this.shared?.unwrapOr(undefined);
    if (shared !== undefined && layer.file.targetOf.includes("shared")) return shared;
    const kept = CLONE_PROGRAMS.find((program) => program === current);
    return kept ?? (layer.file.isShared ? PROGRAM_NAME : this.personal);
  }
}
