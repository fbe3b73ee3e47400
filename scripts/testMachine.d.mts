/** Removes the variables that are not for tests. */
export function removeVariables(env: NodeJS.ProcessEnv): void;
/** Creates the folder `bin` with links to the programs that tests may use. */
export function linkPrograms(bin: string, without?: readonly string[]): void;
