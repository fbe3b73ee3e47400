/** Where the build of the host lies that this process runs, once one of its modules was seen. */
let known: string | undefined;

export function rememberHostDist(dir: string): void {
  known ??= dir;
}

export function hostDist(): string | undefined {
  return known;
}
