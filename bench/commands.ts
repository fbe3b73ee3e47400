import { fileURLToPath } from "node:url";

/** As people start it; wants a build. */
export const gauntletBin = fileURLToPath(new URL("../bin/agent-gauntlet.cjs", import.meta.url));
