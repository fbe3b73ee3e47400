/** What a module of the host exports. */
export type ModuleExports = Record<string, unknown>;

/** @param distDir absolute: the folder of the host's build */
export type Patch = (exports: ModuleExports, distDir: string) => void;
