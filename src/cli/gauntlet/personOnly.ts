/**
 * Detects by environment variables whether an agent, a hook or a gate started a command, and refuses those that are
 * only for a person, who also needs a terminal (G42). Also adds `HOME` to an environment.
 */
import { isAtTerminal, type CliContext } from "@/cli/context";
import { AGENT_HOSTS } from "@/cli/gauntlet/hosts/index";
import { RECURSION_MARKER } from "@/node/services/gauntlet/domain/recursionMarker";

/** Variables that are set in a hook, in a gate, and in the commands that an agent runs. */
const AGENT_VARIABLES = [
  RECURSION_MARKER,
  "MUX_HOOK_EVENT",
  ...AGENT_HOSTS.flatMap(({ ownVariables }) => ownVariables),
  ...["GEMINI_CLI", "QWEN_CODE", "CODEX_SANDBOX", "CODEX_THREAD_ID", "OPENCODE", "CURSOR_AGENT"],
];

/** Returns the name of a set variable that shows a gate, a hook or an agent; undefined if none is set. */
export function agentVariable({ env }: Pick<CliContext, "env">): string | undefined {
  return AGENT_VARIABLES.find((name) => Boolean(env[name]));
}

/** Returns the environment with `HOME` set, because the home folder has the digests of records (G44). */
export function withHome({ env, home }: Pick<CliContext, "env" | "home">): NodeJS.ProcessEnv {
  return { ...env, HOME: env.HOME ?? home };
}

/** Returns why a command is refused here; undefined if no variable shows an agent, a hook or a gate. */
export function whyNotForAgents(command: string, context: CliContext): string | undefined {
  const marker = agentVariable(context);
  return marker === undefined
    ? undefined
    : `${command} is refused here, because ${marker} is set, so an agent may have started it; run it in a terminal of your own`;
}

/** Returns why a command is refused here, or undefined if a person runs it in a terminal. */
export function whyNotForPerson(command: string, context: CliContext): string | undefined {
  const refusal = whyNotForAgents(command, context);
  if (refusal !== undefined || isAtTerminal(context)) return refusal;
  return `${command} needs a terminal, because only a person may decide this; run it in a terminal`;
}
