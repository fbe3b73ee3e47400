/** The programs that can run the gauntlet as a Stop hook, with the place of the hook in their settings (G29). */
import { planAgentHostHook } from "@/cli/gauntlet/init/hooks/agentHostHook";
import { planAgentHostRemoval } from "@/cli/gauntlet/init/hooks/agentHostRemoval";
import type {
  InitPlace,
  InstallPlan,
  PlanOptions,
  RemovalPlan,
} from "@/cli/gauntlet/init/hooks/hookPlan";
import { INSTALLABLE_HOSTS } from "@/cli/gauntlet/init/hooks/installable";
import { MUX_FOLDERS, planMuxHook, planMuxRemoval } from "@/cli/gauntlet/hosts/mux/hook";
import { planOpencodePlugin, planOpencodeRemoval } from "@/cli/gauntlet/hosts/opencode/plugin";
import { findHost, type HostPresence, type HostSigns } from "@/cli/gauntlet/init/hooks/presence";

export interface HookHost {
  readonly name: string;
  /** As in `Install Mux stop hook?`. */
  readonly title: string;
  /** Whether it runs hooks with the engine of this package, which needs trust in the checkout (H31). */
  readonly usesEngine?: boolean;
  readonly find: (place: InitPlace) => Promise<HostPresence>;
  readonly plan: (place: InitPlace, options?: PlanOptions) => Promise<InstallPlan>;
  readonly planRemoval: (place: InitPlace) => Promise<RemovalPlan>;
}

export const HOOK_HOSTS: readonly HookHost[] = [
  ...INSTALLABLE_HOSTS.map((host): HookHost => {
    const { program, folder, title } = host.install;
    return {
      name: host.name,
      title,
      find: finder({ programs: [program], folders: folder === undefined ? [] : [folder] }),
      plan: (place, options) => planAgentHostHook(host, place, options),
      planRemoval: (place) => planAgentHostRemoval(host, place),
    };
  }),
  {
    name: "opencode",
    title: "opencode",
    usesEngine: true,
    find: finder({ programs: ["opencode"], folders: [".opencode"] }),
    plan: planOpencodePlugin,
    planRemoval: planOpencodeRemoval,
  },
  {
    name: "mux",
    title: "Mux",
    usesEngine: true,
    find: finder({ programs: ["mux", "xum"], folders: MUX_FOLDERS, ownFolders: MUX_FOLDERS }),
    plan: planMuxHook,
    planRemoval: planMuxRemoval,
  },
];

function finder(signs: HostSigns): HookHost["find"] {
  return (place) => findHost(signs, place);
}
