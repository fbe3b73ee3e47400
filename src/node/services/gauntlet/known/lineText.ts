import { MIB } from "@/common/limits";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import type { Finding } from "@/node/services/gauntlet/domain/findings/finding";
import type { LineText } from "@/node/services/gauntlet/known/identity";

/** At the same time, so that few whole files are in memory. */
const MAX_FILES = 20;
const MAX_FILE_BYTES = MIB;

/** Reads the lines of findings. A file that cannot be read has none. */
export async function readLines(
  { runtime, projectDir }: { readonly runtime: HookRuntime; readonly projectDir: string },
  findings: readonly Finding[]
): Promise<LineText> {
  const wanted = new Map<string, Map<number, string | undefined>>();
  for (const { file, line } of findings) {
    if (file === undefined || line === undefined || /^(?:\/|\.\.\/)/.test(file)) continue;
    const lines = wanted.get(file) ?? new Map<number, string | undefined>();
    wanted.set(file, lines.set(line, undefined));
  }
  const files = [...wanted];
  for (let i = 0; i < files.length; i += MAX_FILES) {
    await Promise.all(
      files.slice(i, i + MAX_FILES).map(async ([file, lines]) => {
        const read = await runtime.readFile(`${projectDir}/${file}`, { maxBytes: MAX_FILE_BYTES });
        const text = read.map((bytes) => new TextDecoder().decode(bytes)).unwrapOr("");
        const all = text.split("\n");
        for (const line of lines.keys()) lines.set(line, all[line - 1]);
      })
    );
  }
  return (file, line) => wanted.get(file)?.get(line);
}
