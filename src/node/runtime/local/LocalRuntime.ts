/**
 * The default runtime for a workspace on this machine: that of hosts, of the library, and of commands that need not
 * start fast. It loads execa when it starts the first program.
 */
import { BaseLocalRuntime, type LocalRuntimeOptions } from "@/node/runtime/local/BaseLocalRuntime";
import type { runProgram } from "@/node/runtime/process/runProgram";

/** A workspace on this machine. By default, execa starts its programs, with the environment of this process. */
export class LocalRuntime extends BaseLocalRuntime {
  constructor({ env = process.env, run = startOnDemand }: LocalRuntimeOptions = {}) {
    super({ env, run });
  }
}

/** Loads execa on demand, because it is most of what a program that only imports the library would load. */
const startOnDemand: typeof runProgram = async (program, limits) => {
  const { runByExeca } = await import("@/node/runtime/process/runByExeca");
  return await runByExeca(program, limits);
};
