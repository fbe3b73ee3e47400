/** A spawner as an attached host has it; where it comes from has to be built. */
import { join } from "node:path";
import type { runProgram } from "@/node/runtime/process/runProgram";
import { Spawner } from "@/node/runtime/process/spawner/Spawner";
import { repository } from "@test/helpers/built";

const spawnerDir = join(repository, "dist", "host");

/** @param said gets the lines that the host would log */
export function runBySpawner(said: string[] = [], dir = spawnerDir): typeof runProgram {
  const spawner = new Spawner({ dir, log: (text) => void said.push(text) });
  return (program, limits) => spawner.run(program, limits);
}
