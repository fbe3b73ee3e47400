/** A spawner as in an attached host. Its files must be built before. */
import { join } from "node:path";
import type { runProgram } from "@/node/runtime/process/runProgram";
import { Spawner, type SpawnerOptions } from "@/node/runtime/process/spawner/Spawner";
import { repository } from "@test/helpers/built";

const spawnerDir = join(repository, "dist", "host");

/** A hook that kills the process that started it would kill the tests if the spawner was not ready in time. */
const START_MS = 120_000;

/** @param said receives the lines that the host would log */
export function runBySpawner(
  said: string[] = [],
  { dir = spawnerDir, startMs = START_MS }: Partial<SpawnerOptions> = {}
): typeof runProgram {
  const spawner = new Spawner({ dir, startMs, log: (text) => void said.push(text) });
  return (program, limits) => spawner.run(program, limits);
}
