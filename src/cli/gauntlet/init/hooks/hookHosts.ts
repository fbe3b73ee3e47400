/** The programs that can run the gauntlet as a Stop hook, with the place of the hook in their settings (G29). */
import { AGENT_HOSTS } from "@/cli/gauntlet/agentHosts/index";
import { planAgentHostHook } from "@/cli/gauntlet/init/hooks/agentHostHook";
import type { InstallPlan, InitPlace } from "@/cli/gauntlet/init/hooks/hookPlan";
import { planMuxHook } from "@/cli/gauntlet/init/hooks/muxHook";

export interface HookHost {
  readonly name: string;
  /** As in `Install Mux stop hook?`. */
  readonly title: string;
  readonly plan: (place: InitPlace) => Promise<InstallPlan>;
}

export const HOOK_HOSTS: readonly HookHost[] = [
  ...AGENT_HOSTS.flatMap(({ name, install }) =>
    install === undefined
      ? []
      : [
          {
            name,
            title: install.title,
            plan: (place: InitPlace) => planAgentHostHook(install, place),
          },
        ]
  ),
  { name: "mux", title: "Mux", plan: planMuxHook },
];
