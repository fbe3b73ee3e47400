/** How texts name the commands of this package, so that the user can copy them. */

export type CommandName = "agent-gauntlet" | "mux-hooks";

let wordsOf = (name: CommandName): string => name;

/** @param find returns the words that start a command for this user; called only for a text that names the command */
export function setCommandNames(find: (name: CommandName) => string): void {
  const found = new Map<CommandName, string>();
  wordsOf = (name) => {
    const words = found.get(name) ?? find(name);
    found.set(name, words);
    return words;
  };
}

/** Returns the words that start a command. In the program of a host, this is its name. */
export function commandName(name: CommandName): string {
  return wordsOf(name);
}
