/** `mux-stop-hooks uninstall`: removes the hooks that `init` installed (G29). */
import type { CliContext } from "@/cli/context";
import { EXIT, type ExitCode } from "@/cli/exitCodes";
import { findInitFolder } from "@/cli/gauntlet/init/folder";
import { HOOK_HOSTS, type HookHost } from "@/cli/gauntlet/init/hooks/hookHosts";
import type { HookRemoval, InitPlace } from "@/cli/gauntlet/init/hooks/hookPlan";
import { isFileRemoved, removeFromFile } from "@/cli/gauntlet/init/hooks/settingsRemoval";
import { isTrusted, trustAsWritten } from "@/cli/gauntlet/init/hooks/trust";
import { agentVariable, notForAgents } from "@/cli/gauntlet/personOnly";
import { printError } from "@/cli/render/printError";
import { pathForUser } from "@/cli/render/format";
import { createRuntime } from "@/wiring";
import * as messages from "@/cli/gauntlet/messages/hooks";
import { trustedAsWritten, updating } from "@/cli/gauntlet/messages/init";

export interface UninstallOptions {
  /** Only the hooks of these hosts; all hosts if absent. */
  readonly hook?: readonly string[];
}

export async function uninstall(
  { hook }: UninstallOptions,
  context: CliContext
): Promise<ExitCode> {
  const marker = agentVariable(context);
  if (marker !== undefined) return printError(context, notForAgents("uninstall", marker));
  const runtime = createRuntime(context.env);
  const { env, home, program } = context;
  const projectDir = await findInitFolder(runtime, context);
  const removal = new Removal({ runtime, projectDir, env, home, program }, context);
  for (const host of HOOK_HOSTS) {
    if (hook?.includes(host.name) !== false) await removal.remove(host);
  }
  return removal.finish();
}

/** Removes the hooks of one host after the other, and prints each file. */
class Removal {
  #code: ExitCode = EXIT.ok;
  #isEmpty = true;

  constructor(
    private readonly place: InitPlace,
    private readonly context: CliContext
  ) {}

  async remove(host: HookHost): Promise<void> {
    const { removals, others, problems } = await host.planRemoval(this.place);
    const wasTrusted = host.name === "mux" && removals.length > 0 && (await isTrusted(this.place));
    for (const removal of removals) await this.#removeFrom(removal);
    // Otherwise the recorded hooks would continue to run until the user trusts the change.
    if (wasTrusted) await this.#renewTrust();
    for (const other of others) this.#print(messages.notWrittenByInit(this.#nameOf(other)));
    for (const problem of problems) this.#fail(problem);
  }

  finish(): ExitCode {
    if (this.#isEmpty) this.#print(messages.NOTHING_TO_REMOVE);
    return this.#code;
  }

  async #removeFrom(removal: HookRemoval): Promise<void> {
    this.#isEmpty = false;
    const name = this.#nameOf(removal.path);
    const isRemoved = await isFileRemoved(this.place, removal);
    this.#print(isRemoved ? messages.removingFile(name) : updating(name));
    const removed = await removeFromFile(this.place, removal);
    if (removed.isErr()) this.#fail(removed.error);
  }

  async #renewTrust(): Promise<void> {
    const recorded = await trustAsWritten(this.place, new Date());
    recorded?.match(
      (path) => {
        this.#print(trustedAsWritten(this.#nameOf(path)));
      },
      (problem) => {
        this.#fail(problem);
      }
    );
  }

  #nameOf(path: string): string {
    return pathForUser(path, this.context);
  }

  #print(line: string): void {
    this.context.stdout.write(`${line}\n`);
  }

  #fail(problem: string): void {
    this.#code = printError(this.context, problem);
  }
}
