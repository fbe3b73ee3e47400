/** The words of anything that was thrown, on one line. */
export function describeError(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message || thrown.name;
  return typeof thrown === "string" ? thrown : `unexpected ${typeof thrown}`;
}

/** The system's error code (`ENOENT`), where the thrown thing has one. */
export function errorCode(thrown: unknown): string | undefined {
  if (typeof thrown !== "object" || thrown === null || !("code" in thrown)) return undefined;
  return typeof thrown.code === "string" ? thrown.code : undefined;
}

/** For the end of a switch: a value that the types say cannot exist. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
}
