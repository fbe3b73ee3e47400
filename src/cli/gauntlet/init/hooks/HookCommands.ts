/** The commands that `init` writes to the settings files of a host (G29). */
import type { Result } from "neverthrow";
import type { HostHookEntry } from "@/cli/gauntlet/agentHosts/types";
import { findCloneProgram } from "@/cli/gauntlet/init/hooks/cloneProgram";
import type { Layer, LayerHook } from "@/cli/gauntlet/init/hooks/hookLayers";
import { programForHome } from "@/cli/gauntlet/init/hooks/ownCopy";
import type { InitPlace, PlanOptions } from "@/cli/gauntlet/init/hooks/hookPlan";
import {
  CLONE_PROGRAMS,
  findHookProgram,
  PROGRAM_NAME,
} from "@/cli/gauntlet/init/hooks/hookProgram";

export class HookCommands {
  private constructor(
    private readonly place: InitPlace,
    /** The words that start the gauntlet on this machine, in a file of the project. */
    private readonly personal: string,
    /** The same in a file of the user, which all projects share. */
    private readonly inHome: string,
    /** The words that start it in every clone. Absent unless the hook is for the whole team. */
    private readonly shared?: Result<string, string>
  ) {}

  static async find(place: InitPlace, { shared }: PlanOptions): Promise<HookCommands> {
    const personal = await findHookProgram(place);
    const inHome =
      personal === PROGRAM_NAME
        ? personal
        : await findHookProgram({ ...place, program: await programForHome(place) });
    return shared === true
      ? new HookCommands(place, personal, inHome, await findCloneProgram(place))
      : new HookCommands(place, personal, inHome);
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
    if (kept !== undefined || layer.file.isShared) return kept ?? PROGRAM_NAME;
    const isInProject = layer.file.path.startsWith(`${this.place.projectDir}/`);
    return isInProject ? this.personal : this.inHome;
  }
}
