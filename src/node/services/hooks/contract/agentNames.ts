/** The names that Claude Code has for the agents of Mux (H40). Source: https://code.claude.com/docs/en/sub-agents. */

const CLAUDE_NAMES: ReadonlyMap<string, string> = new Map([
  ["explore", "Explore"],
  ["plan", "Plan"],
  ["exec", "general-purpose"],
]);

/** Returns Claude Code's name of an agent type, or the type itself if Claude Code has no such agent. */
export function claudeAgentName(agentType: string): string {
  return CLAUDE_NAMES.get(agentType) ?? agentType;
}
