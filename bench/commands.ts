import { fileURLToPath } from "node:url";

/** The program as users start it. It requires a build. */
export const gauntletBin = fileURLToPath(new URL("../bin/agent-gauntlet.cjs", import.meta.url));
