/** Examines the programs that the hooks of a host start. */
import { nameIn } from "@/cli/gauntlet/doctor/names";
import type { ProgramTrials, Trial } from "@/cli/gauntlet/doctor/ProgramTrials";
import { good, info, problem, type Finding, type HostReport } from "@/cli/gauntlet/doctor/report";
import type { HookHost } from "@/cli/gauntlet/init/hooks/hookHosts";
import { placeOf, type InstalledHook } from "@/cli/gauntlet/init/hooks/Installation";
import type { InitPlace } from "@/cli/gauntlet/init/hooks/hookPlan";
import {
  CLONE_PROGRAMS,
  parseHookCommand,
  PROGRAM_NAME,
} from "@/cli/gauntlet/init/hooks/hookProgram";
import type { SettingsEdit } from "@/cli/settingsText";
import * as messages from "@/cli/gauntlet/messages/doctor";

interface HostHooks {
  readonly stops: readonly InstalledHook[];
  readonly turns: readonly InstalledHook[];
}

export async function examinePrograms(
  host: HookHost,
  { stops, turns }: HostHooks,
  place: InitPlace,
  trials: ProgramTrials
): Promise<Pick<HostReport, "findings" | "repairs">> {
  const tried = await Promise.all(
    [...stops, ...turns].map(async (hook) => ({
      hook,
      isStop: stops.includes(hook),
      trial: await trials.of(programOf(hook)),
    }))
  );
  // The two hooks of a host usually start the same program, which is reported once.
  const distinct = tried.filter(
    ({ hook }, i) => tried.findIndex((other) => programOf(other.hook) === programOf(hook)) === i
  );
  const lacking = stops.filter(({ handler }) => !handler.command.includes("--verify"));
  const broken = [
    ...distinct.filter(({ trial }) => isBroken(trial)).map(({ hook }) => hook),
    ...lacking,
  ];
  const edits = broken.length === 0 ? [] : await plannedEdits(host, place);
  const isUpdated = ({ layer, written }: InstalledHook): boolean =>
    written !== undefined && edits.some(({ path }) => path === layer.file.path);
  const stepFor = (hook: InstalledHook, otherwise: string): string =>
    isUpdated(hook) ? messages.runFix() : otherwise;
  return {
    findings: [
      ...distinct
        // A turn-start hook with its own command is a matter of its author, unless it does not start.
        .filter(({ isStop, trial }) => isStop || isBroken(trial))
        .map(({ hook, trial }) => describe(hook, trial, place, stepFor(hook, byHand(host, hook)))),
      ...lacking.map((hook) =>
        problem(
          messages.withoutVerify(nameIn(place, placeOf(hook))),
          stepFor(hook, messages.ADD_VERIFY)
        )
      ),
    ],
    repairs: broken.some(isUpdated) ? edits : [],
  };
}

/** Returns the words that start the gauntlet, in a form that only `init` writes. */
function programOf({ handler }: InstalledHook): string | undefined {
  return parseHookCommand(handler.command)?.program;
}

function isBroken({ kind }: Trial): boolean {
  return kind === "fails" || kind === "tooOld";
}

function describe(hook: InstalledHook, trial: Trial, place: InitPlace, next: string): Finding {
  const name = nameIn(place, placeOf(hook));
  switch (trial.kind) {
    case "starts":
      return good(messages.programStarts(trial.version));
    case "installed":
      return good(messages.programInstalled(trial.version));
    case "tooOld":
      return problem(messages.programTooOld(name, trial.version), next);
    case "fails":
      return problem(messages.programFails(name, trial.why), next);
    case "notTried":
      return info(trial.why);
  }
}

/** Returns the edits that `init` would make. */
async function plannedEdits(host: HookHost, place: InitPlace): Promise<readonly SettingsEdit[]> {
  const { installedAt, edits } = await host.plan(place);
  return installedAt === undefined ? [] : edits.unwrapOr([]);
}

function byHand({ name }: HookHost, hook: InstalledHook): string {
  const program = programOf(hook) ?? "";
  if (CLONE_PROGRAMS.includes(program)) return messages.INSTALL_DEPENDENCIES;
  return program === PROGRAM_NAME ? messages.putOnPath(program) : messages.changeByHand(name);
}
