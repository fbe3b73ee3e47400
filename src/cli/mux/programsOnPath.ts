import type { CliContext } from "@/cli/context";
import { findOnPath } from "@/node/runtime/process/startFailure";

const NAMES = ["mux", "xum"];

/** Returns the absolute paths of the programs that may be Mux. */
export async function programsOnPath({ env }: Pick<CliContext, "env">): Promise<string[]> {
  const found = await Promise.all(NAMES.map(async (name) => await findOnPath(name, env.PATH)));
  return found.filter((path) => path !== undefined);
}
