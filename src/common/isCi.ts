/** Returns whether this is continuous integration: `CI` or `GITHUB_ACTIONS` is set, not empty and not `false`. */
export function isCi({ CI, GITHUB_ACTIONS }: Readonly<NodeJS.ProcessEnv>): boolean {
  return [CI, GITHUB_ACTIONS].some((value) => value !== undefined && !/^(false)?$/i.test(value));
}
