/** The exports of a module of the host. */
export type ModuleExports = Record<string, unknown>;

/** A function that modifies a module of the host. @param distDir absolute: the folder of the host's build */
export type Patch = (exports: ModuleExports, distDir: string) => void;
