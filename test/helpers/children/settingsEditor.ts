/**
 * Adds hooks to a settings file, one edit each.
 *
 *     settingsEditor.ts FILE NAME COUNT
 */
import { editSettings } from "@/cli/settingsFile";
import { LocalFiles } from "@/node/runtime/local/LocalFiles";
import { addHook } from "@/node/services/hooks/index";

const [path = "", name = "", count] = process.argv.slice(2);
for (let i = 0; i < Number(count); i++) {
  const handler = { type: "command", command: `${name} ${i}` };
  const edit = (file: string, source: string) => addHook(file, source, "Stop", handler);
  (await editSettings(new LocalFiles(), { path, edit }, "/"))._unsafeUnwrap();
}
