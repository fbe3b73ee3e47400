import { MIB } from "@/common/limits";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import type { Finding } from "@/node/services/gauntlet/domain/findings/finding";
import type { LineText } from "@/node/services/gauntlet/known/identity";

const FILES_AT_ONCE = 50;
const MAX_FILE_BYTES = MIB;

/** Reads the lines of findings. A file that cannot be read has none. */
export async function readLines(
  { runtime, projectDir }: { readonly runtime: HookRuntime; readonly projectDir: string },
  findings: readonly Finding[]
): Promise<LineText> {
  const wanted = new Map<string, Set<number>>();
  for (const { file, line } of findings) {
    if (file === undefined || line === undefined || /^(?:\/|\.\.\/)/.test(file)) continue;
    wanted.set(file, (wanted.get(file) ?? new Set()).add(line));
  }
  const texts = new Map<string, string | undefined>();
  const readOne = async ([file, numbers]: readonly [string, Set<number>]): Promise<void> => {
    const read = await runtime.readFile(`${projectDir}/${file}`, { maxBytes: MAX_FILE_BYTES });
    const text = read.map((bytes) => new TextDecoder().decode(bytes)).unwrapOr("");
    const lines = text.split("\n");
    for (const number of numbers) texts.set(`${number} ${file}`, lines[number - 1]);
  };
  const files = [...wanted];
  for (let i = 0; i < files.length; i += FILES_AT_ONCE) {
    await Promise.all(files.slice(i, i + FILES_AT_ONCE).map(readOne));
  }
  return (file, line) => texts.get(`${line} ${file}`);
}
