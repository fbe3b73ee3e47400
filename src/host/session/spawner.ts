/** Starts the programs of all workspaces: a large host stands still for each that it starts by itself. */
import { say } from "@/host/hostLog";
import type { runProgram } from "@/node/runtime/process/runProgram";
import { Spawner } from "@/node/runtime/process/spawner/Spawner";

/** Its bundles lie beside this one. */
const spawner = new Spawner({ dir: __dirname, say });

export const runInSpawner: typeof runProgram = (program, limits) => spawner.run(program, limits);
