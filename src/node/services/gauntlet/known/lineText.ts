import { MIB } from "@/common/limits";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import type { Finding } from "@/node/services/gauntlet/domain/findings/finding";
import type { LineText } from "@/node/services/gauntlet/known/identity";

const MAX_FILES = 100;
const MAX_FILE_BYTES = MIB;

/** Reads the lines of findings. A file that cannot be read has none. */
export async function readLines(
  { runtime, projectDir }: { readonly runtime: HookRuntime; readonly projectDir: string },
  findings: readonly Finding[]
): Promise<LineText> {
  const inside = findings.flatMap(({ file, line }) =>
    file === undefined || line === undefined || /^(?:\/|\.\.\/)/.test(file) ? [] : [file]
  );
  const files = [...new Set(inside)].slice(0, MAX_FILES);
  const texts = await Promise.all(
    files.map(async (file) => {
      const read = await runtime.readFile(`${projectDir}/${file}`, { maxBytes: MAX_FILE_BYTES });
      const text = read.map((bytes) => new TextDecoder().decode(bytes)).unwrapOr("");
      return [file, text.split("\n")] as const;
    })
  );
  const lines = new Map(texts);
  return (file, line) => lines.get(file)?.[line - 1];
}
