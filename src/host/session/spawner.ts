/** Starts the programs of all workspaces. A large host would block at each start if it started them itself. */
import { log } from "@/host/log";
import type { runProgram } from "@/node/runtime/process/runProgram";
import { Spawner } from "@/node/runtime/process/spawner/Spawner";

/** Uses the bundles beside this one. */
const spawner = new Spawner({ dir: __dirname, log });

export const runInSpawner: typeof runProgram = (program, limits) => spawner.run(program, limits);
