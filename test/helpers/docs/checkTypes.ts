/** Reports type errors of a folder through oxlint, which needs a tenth of the compiler's time. */
import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { REPOSITORY } from "@test/helpers/docs/markdown";
import { execFileAsync } from "@test/helpers/process/processes";

export const OXLINT = join(REPOSITORY, "node_modules/.bin/oxlint");
const TYPES_ONLY = { options: { typeAware: true, typeCheck: true }, categories: {} };

/**
 * Adds the dependencies of the check to a folder with a tsconfig.json: this repository's packages, and `types.json`.
 */
export async function prepareTypeCheck(dir: string): Promise<void> {
  await writeFile(join(dir, "types.json"), JSON.stringify(TYPES_ONLY));
  await symlink(join(REPOSITORY, "node_modules"), join(dir, "node_modules"));
}

/** Returns a line for each error: `file:line:column: message [Error/typescript(TS2305)]`. */
export async function typeErrors(dir: string, files: readonly string[]): Promise<string[]> {
  const args = ["-c", "types.json", "-A", "all", "--format=unix", ...files];
  const print = ({ stdout = "" }: { stdout?: string }): string => stdout;
  const printed = await execFileAsync(OXLINT, args, { cwd: dir }).then(print, print);
  const errors = printed.split("\n").filter((line) => line.includes("[Error/"));
  if (errors.length === 0 && printed.includes("problem")) throw new Error(printed);
  return errors;
}
