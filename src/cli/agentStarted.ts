/** Refuses commands that only the user may run, and requires a confirmation for their changes. */
import { isAtTerminal, type CliContext } from "@/cli/context";
import { ownCommand } from "@/common/ownCommand";

/** Variables that are set for programs started by an agent. */
const AGENT_VARIABLES = ["MUX_HOOK_EVENT", "GAUNTLET_STOP_HOOK_ACTIVE"];

/** Returns why the command does not run if a hook or an agent started it, or undefined. */
export function refuseAgent(command: string, { env }: CliContext): string | undefined {
  const found = AGENT_VARIABLES.find((name) => env[name]);
  return found === undefined
    ? undefined
    : `${found} is set, so a hook or an agent started this command; run "${ownCommand()} hooks ${command}" in your own terminal`;
}

/** Returns why the user cannot be prompted, or undefined. */
export function refuseWithoutTerminal(context: CliContext): string | undefined {
  return isAtTerminal(context)
    ? undefined
    : "there is no terminal for the confirmation; run the command in a terminal, or with --yes";
}
