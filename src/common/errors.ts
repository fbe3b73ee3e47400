/** Functions for errors: the message and the code of a thrown value, a fallback for a throw, and `unreachable`. */

/** Returns the message of any thrown value. */
export function describeError(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message || thrown.name;
  return typeof thrown === "string" ? thrown : `unexpected ${typeof thrown}`;
}

/** Returns the system's error code (`ENOENT`) of a thrown value, if it has one. */
export function errorCode(thrown: unknown): string | undefined {
  if (typeof thrown !== "object" || thrown === null || !("code" in thrown)) return undefined;
  return typeof thrown.code === "string" ? thrown.code : undefined;
}

/** Returns the result of `act`, or `otherwise` if it throws. */
export function tryOr<T, Other>(act: () => T, otherwise: Other): T | Other {
  try {
    return act();
  } catch {
    return otherwise;
  }
}

/** Throws an error. Used as the default of a switch whose cases cover all values of the type. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
}
