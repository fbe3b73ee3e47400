/** Starts the programs of all workspaces: a large host stands still for each that it starts by itself. */
import { log } from "@/host/log";
import type { runProgram } from "@/node/runtime/process/runProgram";
import { Spawner } from "@/node/runtime/process/spawner/Spawner";

/** Its bundles lie beside this one. */
const spawner = new Spawner({ dir: __dirname, log });

export const runInSpawner: typeof runProgram = (program, limits) => spawner.run(program, limits);
