/**
 * The base class of the local runtimes: makes the command line and the environment of a requested program, and starts
 * it with the given function. A command line for a shell runs in bash, or in /bin/sh if there is no bash.
 */
import { basename } from "node:path";
import { LocalFiles } from "@/node/runtime/local/LocalFiles";
import { findOnPath } from "@/node/runtime/process/startFailure";
import type { runProgram } from "@/node/runtime/process/runProgram";
import type { Program } from "@/node/runtime/process/spawnGroup";
import { matcherOf } from "@/node/runtime/envMatcher";
import type * as port from "@/node/runtime/HookRuntime";

export interface LocalRuntimeOptions {
  /** The environment of programs, before the additions and removals of a request. */
  readonly env?: Readonly<NodeJS.ProcessEnv>;
  /** Starts a program. @internal */
  readonly run?: typeof runProgram;
}

/** A workspace on this machine, however its programs are started. */
export class BaseLocalRuntime extends LocalFiles implements port.LocalHookRuntime {
  readonly isRemote = false;
  readonly label = "local";
  readonly host: port.Files = this;

  readonly #env: Readonly<NodeJS.ProcessEnv>;
  readonly #run: typeof runProgram;
  #defaultShell: Promise<string> | undefined;

  /** @internal */
  constructor({ env, run }: Required<LocalRuntimeOptions>) {
    super();
    this.#env = env;
    this.#run = run;
  }

  async exec(request: port.ExecRequest): Promise<port.ExecResult> {
    const program: Program = {
      ...(await this.#resolve(request.command)),
      cwd: request.cwd,
      env: childEnv(this.#env, request),
      stdin: request.stdin,
    };
    return this.#run(program, request);
  }

  async #resolve(command: port.Command): Promise<Pick<Program, "file" | "args">> {
    if ("file" in command) return command;
    const file = command.shell ?? (await this.#shell());
    const { script, args } = command;
    // The first argument after the script is the shell's name in its own messages.
    const rest = args === undefined ? [] : [file, ...args];
    // Keeps bash from reading `~/.bashrc`. Node's pipes are sockets, and a bash with a socket as its standard input
    // assumes that `rshd` started it. It would read the file if SHLVL is not set, as in a program that a desktop or a
    // service started.
    const flags = basename(file) === "bash" ? ["--norc"] : [];
    return { file, args: [...flags, "-c", script, ...rest] };
  }

  /** Looks up the shell once: the path of bash does not change while a host runs. */
  #shell(): Promise<string> {
    this.#defaultShell ??= findOnPath("bash", this.#env.PATH).then((bash) => bash ?? "/bin/sh");
    return this.#defaultShell;
  }
}

function childEnv(
  base: Readonly<NodeJS.ProcessEnv>,
  { env, unsetEnv = [], passEnv = [] }: port.ExecRequest
): NodeJS.ProcessEnv {
  const isUnset = matcherOf(unsetEnv);
  const isPassed = matcherOf(passEnv);
  const kept: NodeJS.ProcessEnv = {};
  for (const name in base) if (isPassed(name) || !isUnset(name)) kept[name] = base[name];
  return { ...kept, ...env };
}
