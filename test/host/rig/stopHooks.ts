/** Settings with Stop hooks, and their messages. */
import { group, type Hook } from "@test/helpers/hooks/hookProject";

export function stopHook(...hooks: Hook[]): object {
  return { hooks: { Stop: [group(hooks)] } };
}

/** Returns a shell line that sends the agent back. */
export function block(reason: string): string {
  return `echo '${reason}' >&2; exit 2`;
}

export const agree = "exit 0";

export const askOnce = stopHook(
  `[ "$MUX_STOP_HOOK_ACTIVE" = true ] || { ${block("Create DONE.txt.")}; }`
);

export const alwaysBlock = stopHook(block("Never enough."));

/** Returns the message that the agent gets (H18). */
export function continuation(reason: string): string {
  return `[Stop hook requested continuation]\n${reason}`;
}
