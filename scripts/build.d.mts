/** Builds `dist` if it is older than the sources. If several processes build, one of them does, and the others wait. */
export function build(): Promise<void>;
/** Returns whether `dist` is at least as new as the sources. */
export function isBuilt(): boolean;
