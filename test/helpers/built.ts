/** The built commands, for tests that need a separate process. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { commandWord } from "@/common/safeText";

export const repository = fileURLToPath(new URL("../..", import.meta.url));
export const muxHooksBin = join(repository, "bin", "mux-hooks.cjs");
export const agentGauntletBin = join(repository, "bin", "agent-gauntlet.cjs");
/** How a message names a command of this package, since none is on the PATH of a test. */
export const commandLine = (name: string): string =>
  `node ${commandWord(join(repository, "bin", `${name}.cjs`))}`;
/** The program in a hook that `init` writes. */
export const hookProgram = commandLine("agent-gauntlet");

/** Builds `dist` if the sources are newer. If test files run in parallel, one of them builds and the others wait. */
export { build as ensureBuilt } from "@scripts/build.mjs";
