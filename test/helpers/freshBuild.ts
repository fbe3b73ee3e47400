/** The built commands. The first import in a process builds `dist` if the sources are newer. */
import { build } from "@scripts/build.mjs";

export {
  agentGauntletBin,
  commandLine,
  hookProgram,
  muxHooksBin,
  repository,
} from "@test/helpers/built";

await build();
