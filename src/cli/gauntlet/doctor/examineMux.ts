/** Examines the hook of Mux. `mux-stop-hooks hooks doctor` examines the rest of it. */
import { nameIn } from "@/cli/gauntlet/doctor/names";
import { good, info, problem, type HostReport } from "@/cli/gauntlet/doctor/report";
import type { HookHost } from "@/cli/gauntlet/init/hooks/hookHosts";
import type { InitPlace } from "@/cli/gauntlet/init/hooks/hookPlan";
import { loadHookSettings } from "@/node/services/hooks/index";
import { hookLoadOptions } from "@/wiring";
import * as messages from "@/cli/gauntlet/messages/doctor";

export async function examineMux(host: HookHost, place: InitPlace): Promise<HostReport> {
  const { runtime, projectDir } = place;
  const { found: isFound } = await host.find(place);
  const { installedAt } = await host.plan(place);
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
  return {
    host,
    isFound,
    isInstalled: installedAt !== undefined,
    findings: [
      installedAt === undefined
        ? info(messages.MUX_BUILT_IN)
        : good(messages.hookForProject(nameIn(place, installedAt))),
      isInOrder
        ? good(messages.MUX_TRUSTED)
        : problem(messages.MUX_NOT_TRUSTED, messages.muxDoctor()),
    ],
    repairs: [],
  };
}
