import { LocalRuntime } from "@/node/runtime/local/LocalRuntime";
import { runByExeca } from "@/node/runtime/process/runByExeca";

/** The function that runs the programs of a test file. Another test file may replace it to repeat the tests. */
export const way = { run: runByExeca };

export function newRuntime(env = process.env): LocalRuntime {
  return new LocalRuntime({ env, run: (program, limits) => way.run(program, limits) });
}
