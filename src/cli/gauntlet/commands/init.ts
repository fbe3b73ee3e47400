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
  /** Do not prompt. */
  readonly yes?: boolean;
  /** The hosts whose hooks are installed, without a prompt. */
  readonly hook?: readonly string[];
  /** Install them for the whole team, in files that are committed. */
  readonly shared?: boolean;
  /** Record in Codex that the user trusts the hook. */
  readonly trustCodex?: boolean;
}

/** Hosts that are offered even if they are not on this machine. */
const ALWAYS_OFFERED = ["claude", "mux"];

/** Reports a step that fails, and continues with the others. */
export async function init(options: InitOptions, context: CliContext): Promise<GauntletExitCode> {
  const runtime = createRuntime(context.env);
  const projectDir = await findInitFolder(runtime, context);
  return await interruptible(context, async (signal) => {
    const { shared, trustCodex, hook: hosts } = options;
    const setup = await Setup.begin({ runtime, projectDir }, context, {
      shared,
      trustCodex,
      hosts,
    });
    const { env, home, program } = context;
    const place = { runtime, projectDir, env, home, program };
    await setup.writeConfig();
    const asks = isAsking(options, context);
    const questions = asks ? new Questions(context, signal) : undefined;
    for (const host of HOOK_HOSTS) {
      if (hosts?.includes(host.name) === true) await setup.installHook(host);
      else if (questions === undefined) continue;
      else if (ALWAYS_OFFERED.includes(host.name) || (await host.find(place)).found) {
        await setup.offerHook(host, questions);
      }
    }
    questions?.close();
    if (trustCodex === true) await setup.trustCodex();
    return await setup.finish(signal);
  });
}

function isAsking({ yes, hook }: InitOptions, { stdin, stdout }: CliContext): boolean {
  return yes !== true && hook === undefined && stdin.isTTY === true && stdout.isTTY === true;
}
