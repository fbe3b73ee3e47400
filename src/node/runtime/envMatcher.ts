/**
 * Matches the names of environment variables with the patterns `NAME` and `NAME_*` of a request to run a program. It is
 * not in HookRuntime.ts because all exports of that file are public.
 */

/**
 * Returns a function that tests whether a name is one of the patterns of `unsetEnv` or `passEnv`; `NAME_*` matches every
 * name with that prefix.
 */
export function matcherOf(patterns: readonly string[]): (name: string) => boolean {
  const names = new Set(patterns);
  const prefixes = patterns.filter((one) => one.endsWith("*")).map((one) => one.slice(0, -1));
  return (name) => names.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
}
