/** A spawner as in an attached host. Its files must be built before. */
import { join } from "node:path";
import type { runProgram } from "@/node/runtime/process/runProgram";
import { Spawner } from "@/node/runtime/process/spawner/Spawner";
import { repository } from "@test/helpers/built";

const spawnerDir = join(repository, "dist", "host");

/** @param said receives the lines that the host would log */
export function runBySpawner(said: string[] = [], dir = spawnerDir): typeof runProgram {
  const spawner = new Spawner({ dir, log: (text) => void said.push(text) });
  return (program, limits) => spawner.run(program, limits);
}
