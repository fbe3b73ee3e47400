/** How texts name the command of this package, so that the user can copy them. */

const NAME = "mux-stop-hooks";

let find = (): string => NAME;
let found: string | undefined;

/** @param findWords returns the words that start the command for this user; called only for a text that names it */
export function setOwnCommand(findWords: () => string): void {
  find = findWords;
  found = undefined;
}

/** Returns the words that start the command. In the program of a host, this is its name. */
export function ownCommand(): string {
  return (found ??= find());
}
