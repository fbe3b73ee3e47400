/** The commands that `init` writes to the settings files of a host (G29). */
import { isDeepStrictEqual } from "node:util";
import type { Result } from "neverthrow";
import type { HostHookEntry } from "@/cli/gauntlet/hosts/types";
import { findCloneProgram } from "@/cli/gauntlet/init/hooks/cloneProgram";
import type {
  Installation,
  InstalledHook,
  Layer,
  WrittenHook,
} from "@/cli/gauntlet/init/hooks/Installation";
import type { JsonObject } from "@/common/json";
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
    private readonly shared?: Result<string, string>,
    private readonly limit?: number
  ) {}

  static async find(place: InitPlace, { shared, limit }: PlanOptions): Promise<HookCommands> {
    const personal = await findHookProgram(place);
    const inHome =
      personal === PROGRAM_NAME
        ? personal
        : await findHookProgram({ ...place, program: await programForHome(place) });
    const inClones = shared === true ? await findCloneProgram(place) : undefined;
    return new HookCommands(place, personal, inHome, inClones, limit);
  }

  /** Why no hook can be added for the whole team, if that was requested. */
  get problem(): string | undefined {
    return this.shared?.isErr() === true ? this.shared.error : undefined;
  }

  /**
   * Returns the handler of an entry in a file.
   *
   * @param current the handler that is updated
   */
  handlerOf(
    installation: Installation,
    entry: HostHookEntry,
    layer: Layer,
    current?: Partial<WrittenHook>
  ): JsonObject {
    const kept = current?.entry ?? entry;
    const own = (this.limit === undefined ? undefined : entry.withLimit?.(this.limit)) ?? kept;
    const command = `${this.#programOf(layer, current?.program)} ${own.args}`;
    return installation.handlerOf(own, command);
  }

  isOutdated(installation: Installation, hook: InstalledHook): boolean {
    const { entry, layer, handler, written } = hook;
    if (written === undefined) return false;
    const wanted = this.handlerOf(installation, entry, layer, written);
    return !isDeepStrictEqual({ ...handler.fields }, wanted);
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
