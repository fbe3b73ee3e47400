/** The values of `--hook` and `--ci`. Loads no code of `init`. */
import { AGENT_HOSTS } from "@/cli/gauntlet/hosts/index";

/** The hosts whose hooks can be installed. */
export const HOOK_NAMES: readonly string[] = [
  ...AGENT_HOSTS.map(({ name }) => name),
  "opencode",
  "kilo",
  "mux",
];

/** Stands for the hook of git, which is not a host's. */
export const GIT = "git";

/** Stands for no host. */
export const NO_HOST = "none";

export const CI_NAMES = ["github", "gitlab"] as const;
export type CiName = (typeof CI_NAMES)[number];
