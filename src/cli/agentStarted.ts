/** Refuses commands that only the user may run, and requires a confirmation for their changes. */
import { ownCommand } from "@/common/ownCommand";
import type { CliContext } from "@/cli/context";
import { CONFIRM_IN_TERMINAL } from "@/cli/messages/shared";

/** Variables that are set for programs started by an agent. */
const AGENT_VARIABLES = ["MUX_HOOK_EVENT", "GAUNTLET_STOP_HOOK_ACTIVE"];

/** Returns why the command does not run if a hook or an agent started it, or undefined. */
export function refuseAgent(command: string, { env }: CliContext): string | undefined {
  const found = AGENT_VARIABLES.find((name) => env[name] !== undefined && env[name] !== "");
  return found === undefined
    ? undefined
    : `${found} is set, so a hook or an agent started this command; run "${ownCommand()} hooks ${command}" in your own terminal`;
}

/** Returns why the user cannot be prompted, or undefined. */
export function refuseWithoutTerminal({ stdin, stdout }: CliContext): string | undefined {
  return stdin.isTTY === true && stdout.isTTY === true ? undefined : CONFIRM_IN_TERMINAL;
}
