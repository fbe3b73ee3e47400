type Method = (...args: never[]) => unknown;

/** Replaces a method of a class by a wrapper. Callers look methods up at each call, so all of them use the wrapper. */
export function wrapMethod<K extends string, T extends Record<K, Method>>(
  prototype: T,
  name: K,
  make: (original: T[K]) => T[K]
): void {
  const original = prototype[name];
  // The number of parameters shows what a version of the host supports.
  prototype[name] = Object.defineProperty(make(original), "length", { value: original.length });
}
