/** Replaces a method of a class by a wrapper. Callers look methods up at each call, so all of them use the wrapper. */
export function wrapMethod<T, K extends keyof T>(
  prototype: T,
  name: K,
  make: (original: T[K]) => T[K]
): void {
  prototype[name] = make(prototype[name]);
}
