/** Reads the JSON files of Claude Code that are not settings, only if they have changed. */
import { err, ok, type Result } from "neverthrow";
import { MAX_PLUGIN_LIST_BYTES, MIB } from "@/common/limits";
import { parseJson } from "@/common/json";
import type { CheckoutBudget } from "@/node/services/hooks/settings/cache/CheckoutBudget";
import type { MachineView } from "@/node/services/hooks/settings/cache/machineView";
import { notFile, notReadable } from "@/node/services/hooks/messages/shared";

/** Returns the value of a file, undefined if the file is missing, or the reason why it cannot be used. */
export async function readDocument(
  { files, stats, memory }: MachineView,
  path: string,
  budget?: CheckoutBudget
): Promise<Result<unknown, string>> {
  const [stat] = await stats.stat([path]);
  if (stat === undefined || stat.kind === "missing") {
    memory.documents.forget(path);
    return ok(undefined);
  }
  if (stat.kind === "failed") return err(notReadable(stat.failure.message));
  if (stat.kind !== "file") return err(notFile(stat.kind === "directory"));
  const tooLarge = `larger than ${MAX_PLUGIN_LIST_BYTES / MIB} MiB, so it is not read`;
  if (stat.size > MAX_PLUGIN_LIST_BYTES) return err(tooLarge);
  const refusal = budget?.refuse(path, stat.size);
  if (refusal !== undefined) return err(refusal);
  const cached = await memory.documents.get(path, stat, async () => {
    const read = await files.readFile(path, { maxBytes: MAX_PLUGIN_LIST_BYTES + 1 });
    if (read.isErr()) return err(notReadable(read.error.message));
    if (read.value.length > MAX_PLUGIN_LIST_BYTES) return err(tooLarge);
    // A text that does not parse is kept as well, since parsing it takes the same time again.
    return ok(parseJson(new TextDecoder().decode(read.value).replace(/^\uFEFF/, "")));
  });
  return cached.andThen((parsed) => parsed);
}
