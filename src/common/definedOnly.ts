/** Returns the object without its undefined values, which would override other values in a spread. */
export function definedOnly<T extends object>(
  object: T
): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(object).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
