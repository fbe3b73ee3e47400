/**
 * Locks that this process released but could not remove, because their machine was unreachable. They name a running
 * process, so only this process knows that they are dead (G17).
 */
const tokens = new Set<string>();

/** A host may run for months. The oldest locks were taken over or expired long ago. */
const MAX_TOKENS = 1_000;

export function abandon(token: string): void {
  tokens.add(token);
  for (const oldest of tokens) {
    if (tokens.size <= MAX_TOKENS) break;
    tokens.delete(oldest);
  }
}

export function isAbandoned(token: string): boolean {
  return tokens.has(token);
}
