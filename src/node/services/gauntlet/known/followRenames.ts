/** Names the failures of a record as a run names them after files were renamed (G43). */
import { posix } from "node:path";
import type { KnownFailure } from "@/node/services/gauntlet/known/identity";

type Names = ReadonlyMap<string, string>;

/** Returns the failures with the current names of their files, also in the names of their tests. */
export function followRenames(
  failures: readonly KnownFailure[],
  renamed: Names
): readonly KnownFailure[] {
  if (renamed.size === 0) return failures;
  const whole = new Map([...renamed].flatMap(([from, to]) => namesOf(from, to, 1)));
  return failures.map((failure) => {
    const { file, test } = failure;
    const now = file === undefined ? undefined : renamed.get(file);
    const own = file === undefined || now === undefined ? whole : new Map(namesOf(file, now));
    return { ...failure, file: now ?? file, test: test && renameTest(test, own) };
  });
}

/** The languages whose tools name a test by the path of its file in packages, with dots. */
const MODULES = /\.(?:py|java|kt|groovy|scala)$/;

/**
 * Returns how the name of a test may begin because of its file, before and after: with the path, the module or the
 * class. The command may run in each of the folders that both paths have, of which `limit` are tried.
 */
function namesOf(from: string, to: string, limit = MAX_SEGMENTS): [string, string][] {
  const [before, after] = [from.split("/"), to.split("/")];
  const found: [string, string][] = [];
  for (let i = 0; i < Math.min(before.length, after.length, limit); i++) {
    if (i > 0 && before[i - 1] !== after[i - 1]) break;
    const [old, now] = [before.slice(i).join("/"), after.slice(i).join("/")];
    found.push([old, now]);
    if (MODULES.test(from)) found.push([withoutExtension(old, "."), withoutExtension(now, ".")]);
    // The namespaces of PHP are not its folders.
    const isClass = from.endsWith(".php") && !old.includes("/") && !now.includes("/");
    if (isClass)
      found.push([withoutExtension(`\\${old}`, "\\"), withoutExtension(`\\${now}`, "\\")]);
  }
  return found;
}

function withoutExtension(path: string, separator: string): string {
  return path.slice(0, path.length - posix.extname(path).length).replaceAll("/", separator);
}

const MAX_SEGMENTS = 20;

/** Replaces the beginning of the name of a test, which ends where a class or a method begins. */
function renameTest(test: string, names: Names): string {
  const [suite = ""] = test.split(" > ", 1);
  const start = suite.lastIndexOf("\\") + 1;
  const from = start === 0 ? 0 : start - 1;
  let end = suite.length;
  for (let i = 0; i < MAX_SEGMENTS && end > from; i++) {
    const now = names.get(suite.slice(from, end));
    if (now !== undefined) return `${suite.slice(0, from)}${now}${test.slice(end)}`;
    end = Math.max(suite.lastIndexOf(".", end - 1), suite.lastIndexOf("$", end - 1));
  }
  return test;
}
