/** Refuses a command that only a person may run (G42, G44). */
import { isAtTerminal, type CliContext } from "@/cli/context";
import { AGENT_HOSTS } from "@/cli/gauntlet/hosts/index";
import { RECURSION_MARKER } from "@/node/services/gauntlet/domain/recursionMarker";

/** Variables of a hook, of a gate, and of the commands that an agent runs. */
const AGENT_VARIABLES = [
  RECURSION_MARKER,
  "MUX_HOOK_EVENT",
  ...AGENT_HOSTS.flatMap(({ ownVariables }) => ownVariables),
  ...["GEMINI_CLI", "QWEN_CODE", "CODEX_SANDBOX", "CODEX_THREAD_ID", "OPENCODE", "CURSOR_AGENT"],
];

/** Returns the variable that shows a gate, a hook or an agent, or undefined if there is none. */
export function agentVariable({ env }: Pick<CliContext, "env">): string | undefined {
  return AGENT_VARIABLES.find((name) => Boolean(env[name]));
}

/** Returns the environment of a person, whose folder has the digests of records (G44). */
export function withHome({ env, home }: Pick<CliContext, "env" | "home">): NodeJS.ProcessEnv {
  return { ...env, HOME: env.HOME ?? home };
}

/** @param marker the variable that shows an agent, a hook or a gate */
export function notForAgents(command: string, marker: string): string {
  return `${command} is refused here, because ${marker} is set, so an agent may have started it; run it in a terminal of your own`;
}

/** Returns why a command is refused here, or undefined if a person runs it in a terminal. */
export function whyNotForPerson(command: string, context: CliContext): string | undefined {
  const marker = agentVariable(context);
  if (marker !== undefined) return notForAgents(command, marker);
  if (isAtTerminal(context)) return undefined;
  return `${command} needs a terminal, because only a person may decide this; run it in a terminal`;
}
