/** The tests that ran when a check last passed (G48). */
import { posix } from "node:path";
import { isJsonObject, parseJson } from "@/common/json";
import { MIB } from "@/common/limits";
import { isTextFile } from "@/node/services/gauntlet/domain/checkFiles";
import type { Files } from "@/node/runtime/HookRuntime";
import { readText } from "@/node/services/gauntlet/known/store";
import type { NamedTest } from "@/node/services/gauntlet/gates/findings/formats/reader";

const MAX_BYTES = 4 * MIB;

/**
 * Records the tests that ran, and returns the names of those that ran before and do not run any more, although a file of
 * theirs changed.
 *
 * @param path of the list
 * @param changed the files that changed since the last pass
 */
export async function replaceTests(
  files: Files,
  path: string,
  ran: readonly NamedTest[],
  changed: ReadonlySet<string>
): Promise<string[]> {
  const before = parseTests((await readText(files, path, MAX_BYTES)) ?? "");
  const now = new Set(ran.map(keyOf));
  const text = [...now]
    .sort()
    .map((key) => `${key}\n`)
    .join("");
  if (text.length <= MAX_BYTES) await files.writeFile(path, text, { isDisposable: true });
  const known = new Set(before.map(({ file }) => file));
  const moved = new Set(ran.filter(({ file }) => !known.has(file)).map(({ test }) => masked(test)));
  const paths = [...changed];
  const vanished = before.filter(
    (one) => !now.has(keyOf(one)) && !moved.has(one.test) && isTouched(one, paths)
  );
  return [...new Set(vanished.map(({ test }) => test))];
}

/** Parameters in brackets at the end may differ in every run. */
function masked(test: string): string {
  return test.replace(/\[[^[\]]*\]$/, "");
}

function keyOf({ file, test }: NamedTest): string {
  return JSON.stringify({ ...(file === undefined ? {} : { file }), test: masked(test) });
}

/**
 * A report may name no file, but a class or a module with the name of its file. Without any of these, the test may be in
 * each file of code.
 */
function isTouched({ file, test }: NamedTest, changed: readonly string[]): boolean {
  if (file !== undefined) return changed.includes(file);
  const [module = ""] = test.split(" > ", 1);
  if (!MODULE.test(module)) return changed.some((path) => !isTextFile(path));
  return changed.some((path) => module.includes(posix.parse(path).name));
}

const MODULE = /^[^\s.]+\.[^\s]+$/;

function parseTests(text: string): NamedTest[] {
  return text.split("\n").flatMap((line) => {
    const json = line === "" ? undefined : parseJson(line).unwrapOr(undefined);
    if (!isJsonObject(json) || typeof json.test !== "string") return [];
    const { file, test } = json;
    return [typeof file === "string" ? { file, test } : { test }];
  });
}
