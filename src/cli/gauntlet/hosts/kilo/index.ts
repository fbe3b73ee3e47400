/**
 * Kilo Code: the plugin of opencode, from which its program descends. Its server obeys the hooks. `kilo run` ends before they
 * do. Both were tried with `@kilocode/cli-linux-x64` 7.7.9.
 */
import { pluginOf } from "@/cli/gauntlet/hosts/opencode/index";
import type { HookHost } from "@/cli/gauntlet/hosts/types";

export const kiloHost: HookHost = {
  name: "kilo",
  about:
    "until the gates pass; never in `kilo run`, which ends before | a toast | none | that of the project's hooks | with Kilo Code 7.7.9",
  install: pluginOf("Kilo Code", "kilo", ".kilo"),
};
