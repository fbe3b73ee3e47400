/**
 * The locks that this process has let go of without being able to remove them, for the machine that they lie on was out
 * of reach. They name a process that lives, and it alone can know that they are dead (G17).
 */
const tokens = new Set<string>();

/** A host may live for months; the oldest are long taken over or old enough. */
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
