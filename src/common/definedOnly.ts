/** The same object without its keys whose value is undefined, which a spread would carry over others. */
export function definedOnly<T extends object>(
  object: T
): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(object).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
