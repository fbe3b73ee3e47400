/**
 * The words with which messages name this package's command, such as `npx --no-install mux-stop-hooks`, so that users
 * can copy them. The program that starts sets how they are found. Also makes the URL of a folder on another machine,
 * and the option `--workspace` with which such a command finds that folder.
 */
import { commandWord } from "@/common/safeText";

const NAME = "mux-stop-hooks";

let find = (): string => NAME;
let found: string | undefined;

/**
 * Sets how the words are found.
 *
 * @param findWords returns the words that start the command for this user; called only for a text that names it
 */
export function setOwnCommand(findWords: () => string): void {
  find = findWords;
  found = undefined;
}

/** Returns the words that start the command: the package's own name in a program that did not set them, such as Mux. */
export function shownCommand(): string {
  return (found ??= find());
}

/** Returns the URL of a folder on another machine. @param label the name of the machine: `ssh://host` */
export function folderUrl(label: string, dir: string): string {
  return `${label}${dir.split("/").map(encodeURIComponent).join("/")}`;
}

/** Returns the option with which the commands find a folder on another machine; empty for one on this machine. */
export function workspaceFlag(at: { isRemote: boolean; label: string }, dir: string): string {
  return at.isRemote ? ` --workspace ${commandWord(folderUrl(at.label, dir))}` : "";
}
