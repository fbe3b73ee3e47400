/**
 * The agent host Kilo Code, which descends from opencode: installs the plugin of opencode in `.kilo/plugins`. Its
 * server obeys the hooks, but `kilo run` ends before they do (tried with `@kilocode/cli-linux-x64` 7.7.9).
 */
import { pluginOf } from "@/cli/gauntlet/hosts/opencode/index";
import type { HookHost } from "@/cli/gauntlet/hosts/types";

export const kiloHost: HookHost = {
  name: "kilo",
  about:
    "until the gates pass; never in `kilo run`, which ends before | a toast | none | that of the project's hooks | with Kilo Code 7.7.9",
  install: pluginOf("Kilo Code", "kilo", ".kilo"),
};
