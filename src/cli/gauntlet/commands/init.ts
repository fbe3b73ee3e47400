/**
 * `agent-gauntlet init`: writes an initial configuration, and installs the gauntlet as a Stop hook of an agent (G29).
 */
import type { CliContext } from "@/cli/context";
import type { GauntletExitCode } from "@/cli/gauntlet/exitCodes";
import { findInitFolder } from "@/cli/gauntlet/init/folder";
import { HOOK_HOSTS } from "@/cli/gauntlet/init/hooks/hookHosts";
import { Questions } from "@/cli/render/Questions";
import { Setup } from "@/cli/gauntlet/init/Setup";
import { interruptible } from "@/cli/gauntlet/interruptible";
import { createRuntime } from "@/wiring";

export interface InitOptions {
  /** Ask no questions. */
  readonly yes?: boolean;
  /** Install these, and ask no questions. */
  readonly hook?: readonly string[];
}

/** Reports a step that fails, and continues with the others. */
export async function init(options: InitOptions, context: CliContext): Promise<GauntletExitCode> {
  const runtime = createRuntime(context.env);
  const projectDir = await findInitFolder(runtime, context);
  return await interruptible(context, async (signal) => {
    const setup = await Setup.begin({ runtime, projectDir }, context);
    await setup.writeConfig();
    const asks = isAsking(options, context);
    const questions = asks ? new Questions(context, signal) : undefined;
    for (const host of HOOK_HOSTS) {
      if (options.hook?.includes(host.name) === true) await setup.installHook(host);
      else if (questions !== undefined) await setup.offerHook(host, questions);
    }
    questions?.close();
    return await setup.finish(signal);
  });
}

function isAsking({ yes, hook }: InitOptions, { stdin, stdout }: CliContext): boolean {
  return yes !== true && hook === undefined && stdin.isTTY === true && stdout.isTTY === true;
}
