/** Reads a file of any machine as text or JSON, and derives from its stat a stamp that differs after every write. */
import { parseJson } from "@/common/json";
import type { Files, PresentStat, ReadOptions } from "@/node/runtime/HookRuntime";

/** Returns the text of a file, or undefined if it cannot be read. A longer file is cut at `maxBytes`. */
export async function readText(
  files: Pick<Files, "readFile">,
  path: string,
  options: ReadOptions
): Promise<string | undefined> {
  const read = await files.readFile(path, options);
  return read.isOk() ? new TextDecoder().decode(read.value) : undefined;
}

/** Returns the value of a JSON file, or undefined if it cannot be read or parsed. */
export async function readJson(...given: Parameters<typeof readText>): Promise<unknown> {
  return parseJson((await readText(...given)) ?? "").unwrapOr(undefined);
}

/** Returns a text that differs after every write to the file. The clock of the machine does not matter. */
export function stampOf({ identity, ctimeMs, mtimeMs, size }: PresentStat): string {
  return [identity, ctimeMs, mtimeMs, size].join(" ");
}
