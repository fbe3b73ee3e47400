import { LocalRuntime } from "@/node/runtime/local/LocalRuntime";
import { runProgram } from "@/node/runtime/process/runProgram";

/** How a test file's programs are run: another one may have it try the same in another way. */
export const way = { run: runProgram };

export function newRuntime(env = process.env): LocalRuntime {
  return new LocalRuntime({ env, run: (program, limits) => way.run(program, limits) });
}
