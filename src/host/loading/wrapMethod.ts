/** Replaces a method of a class by one that is made of it; callers read methods late, so all of them see the new one. */
export function wrapMethod<T, K extends keyof T>(
  prototype: T,
  name: K,
  make: (original: T[K]) => T[K]
): void {
  prototype[name] = make(prototype[name]);
}
