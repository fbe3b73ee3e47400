/** Finds the user's settings for all projects. */
import { posix } from "node:path";
import type { ConfigReads } from "@/node/services/gauntlet/config/configFiles";

/** Returns the path of the user's `agent-gauntlet/config.yml`, or undefined if it does not exist. */
export async function findGlobalFile(
  files: ConfigReads,
  env: Readonly<Record<string, string | undefined>>,
  home: string
): Promise<string | undefined> {
  const configHome = env.XDG_CONFIG_HOME ?? "";
  const folders = [
    ...(posix.isAbsolute(configHome) ? [configHome] : []),
    posix.join(home, ".config"),
  ];
  const paths = folders.map((folder) => posix.join(folder, "agent-gauntlet", "config.yml"));
  const stats = await files.stat(paths);
  return paths.find((_, i) => stats[i]?.kind !== "missing");
}
