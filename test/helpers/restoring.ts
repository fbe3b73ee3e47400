/** Starts of tests that need much work, such as a project with a record or after a failed stop, done once. */
import { cpSync, rmSync } from "node:fs";

/** A project, or a value that has one. */
interface Started {
  readonly dir?: string;
  readonly project?: { readonly dir: string; readonly home?: string };
  readonly home?: string;
  readonly folders?: readonly string[];
}

const foldersIn = ({ dir, project, home = project?.home, folders }: Started): readonly string[] =>
  folders ?? [dir, project?.dir, home].filter((folder) => folder !== undefined);

/** The inodes differ, so that git reads the files again whatever their times are. */
const OPTIONS = { recursive: true, preserveTimestamps: true, verbatimSymlinks: true };
let copies = 0;

/**
 * Returns a function that calls `start` once for each value of its arguments and copies the folders of the result. Each
 * later call puts the copies back in the same places, and returns the same value. Only for tests that run one after
 * the other, for values without state of their own, and without an engine that still writes after its answer.
 */
export function restoring<Args extends readonly unknown[], Value extends Started>(
  start: (...args: Args) => Promise<Value>,
  foldersOf: (value: Value) => readonly string[] = foldersIn
): (...args: Args) => Promise<Value> {
  const started = new Map<string, readonly [value: Value, copy: string]>();
  return async (...args) => {
    const key = JSON.stringify(args);
    const known = started.get(key);
    if (known !== undefined) {
      const [value, copy] = known;
      for (const folder of foldersOf(value)) {
        rmSync(folder, { recursive: true, force: true });
        cpSync(`${folder}.${copy}`, folder, OPTIONS);
      }
      return value;
    }
    const value = await start(...args);
    const copy = `start${copies++}`;
    for (const folder of foldersOf(value)) cpSync(folder, `${folder}.${copy}`, OPTIONS);
    started.set(key, [value, copy]);
    return value;
  };
}
