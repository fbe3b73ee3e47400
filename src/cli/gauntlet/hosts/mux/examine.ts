/** Examines the hook of Mux. `mux-stop-hooks hooks doctor` examines the rest of it. */
import { nameIn } from "@/cli/gauntlet/doctor/names";
import { good, info, problem, type Finding, type HostReport } from "@/cli/gauntlet/doctor/report";
import type { HookHost } from "@/cli/gauntlet/init/hooks/hookHosts";
import type { InitPlace } from "@/cli/gauntlet/init/hooks/hookPlan";
import { loadHookSettings } from "@/node/services/hooks/index";
import { hookLoadOptions } from "@/wiring";
import * as messages from "@/cli/gauntlet/messages/doctor";

export async function examineMux(host: HookHost, place: InitPlace): Promise<HostReport> {
  const { found: isFound } = await host.find(place);
  const { installedAt } = await host.plan(place);
  return {
    host,
    isFound,
    isInstalled: installedAt !== undefined,
    findings: [
      installedAt === undefined
        ? info(messages.MUX_BUILT_IN)
        : good(messages.hookForProject(nameIn(place, installedAt))),
      await examineTrust(place),
    ],
    repairs: [],
  };
}

/** Examines whether the engine of this package runs the hooks and the gates of the project (H31). */
export async function examineTrust(place: InitPlace): Promise<Finding> {
  const { runtime, projectDir } = place;
  const { trust, diagnostics, loadError } = await loadHookSettings(
    runtime,
    projectDir,
    hookLoadOptions(runtime, place)
  );
  const isInOrder =
    trust.trusted &&
    trust.notice === undefined &&
    loadError === undefined &&
    diagnostics.every(({ severity }) => severity !== "error");
  return isInOrder
    ? good(messages.HOOKS_TRUSTED)
    : problem(messages.HOOKS_NOT_TRUSTED, messages.muxDoctor());
}
