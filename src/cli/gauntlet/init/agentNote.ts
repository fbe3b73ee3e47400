/**
 * Adds to AGENTS.md or CLAUDE.md, for `init`, a line with the command by which agents check their work, and removes it
 * for `uninstall` (G7a, G29).
 */
import { posix } from "node:path";
import { ok } from "neverthrow";
import { PACKAGE_NAME } from "@/cli/gauntlet/init/hooks/hookProgram";
import type { InitPlace } from "@/cli/gauntlet/init/targetProject";
import { readSettingsText, type SettingsEdit } from "@/cli/settingsFile";
import { OWN_RUN } from "@/node/services/gauntlet/messages/shared";

const FILES = ["AGENTS.md", "CLAUDE.md"];
const RUN = /\b(?:agent-gauntlet|mux-stop-hooks) run\b/;

/**
 * Returns the edit that adds the line to AGENTS.md, or to CLAUDE.md if only that exists. Returns undefined if one of
 * them mentions such a run or cannot be read.
 *
 * @param isInstalled whether `node_modules` of the project has the package
 */
export async function planNote(
  place: InitPlace,
  isInstalled: boolean
): Promise<SettingsEdit | undefined> {
  const files = await readFiles(place);
  if (files.some(({ text }) => text === null || RUN.test(text ?? ""))) return undefined;
  // The first file that exists, or else AGENTS.md.
  const [file] = [...files.filter(({ text }) => text !== undefined), ...files];
  if (file === undefined) return undefined;
  const command = `${isInstalled ? "npx " : ""}${PACKAGE_NAME} run`;
  return {
    path: file.path,
    isShared: true,
    edit: (_, source) => {
      const end = source.includes("\r\n") ? "\r\n" : "\n";
      const gap = source === "" ? "" : source.endsWith("\n") ? end : end + end;
      return ok(`${source}${gap}To check your work, run \`${command}\`. ${OWN_RUN}${end}`);
    },
  };
}

/** Returns the edits that remove the line from the files that have it. */
export async function noteRemovals(place: InitPlace): Promise<SettingsEdit[]> {
  const files = await readFiles(place);
  const noted = files.filter(({ text }) => text?.split("\n").some(isNote));
  return noted.map(({ path }) => ({
    path,
    edit: (_, source) => {
      const lines = source.split(/(?<=\n)/);
      const at = lines.findIndex(isNote);
      // The line follows a blank one if the file had content.
      const first = lines[at - 1]?.trim() === "" ? at - 1 : at;
      return ok(at === -1 ? source : lines.toSpliced(first, at - first + 1).join(""));
    },
    isRemovable: (text) => text.trim() === "",
  }));
}

function isNote(line: string): boolean {
  return RUN.test(line) && line.trimEnd().endsWith(OWN_RUN);
}

/** Returns the text of each file: undefined if it does not exist, and null if it cannot be read. */
async function readFiles({ runtime, projectDir }: InitPlace) {
  const paths = FILES.map((name) => posix.join(projectDir, name));
  return await Promise.all(
    paths.map(async (path) => ({
      path,
      text: (await readSettingsText(runtime, path)).unwrapOr(null),
    }))
  );
}
