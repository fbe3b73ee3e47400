import { LocalPrograms, type LocalProgramsOptions } from "@/node/runtime/local/LocalPrograms";
import { runByExeca } from "@/node/runtime/process/startByExeca";

export type LocalRuntimeOptions = Partial<LocalProgramsOptions>;

/** A workspace on this machine. By default, execa starts its programs, with the environment of this process. */
export class LocalRuntime extends LocalPrograms {
  constructor({ env = process.env, run = runByExeca }: LocalRuntimeOptions = {}) {
    super({ env, run });
  }
}
