/** A rough tokenizer of shell command lines. It expands nothing, so the values of variables stay unknown. */

/**
 * Returns the words of each command between `;`, `&&`, `|` and similar operators. Redirections are left out.
 */
export function simpleCommands(line: string): string[][] {
  const commands: string[][] = [];
  let words: string[] = [];
  let word: string | undefined;
  let quote = "";
  /** Whether the next word is the target of a redirection. */
  let isTarget = false;
  const endWord = (): void => {
    if (word === undefined) return;
    if (!isTarget) words.push(word);
    isTarget = false;
    word = undefined;
  };
  const endCommand = (): void => {
    endWord();
    isTarget = false;
    if (words.length === 0) return;
    commands.push(words);
    words = [];
  };
  for (let i = 0; i < line.length; i++) {
    const char = line.charAt(i);
    if (char === "\\" && quote !== "'") {
      const escaped = line.charAt(++i);
      if (escaped !== "\n") word = (word ?? "") + escaped;
    } else if (quote !== "") {
      if (char === quote) quote = "";
      else word = (word ?? "") + char;
    } else if (char === "'" || char === '"') {
      quote = char;
      word ??= "";
    } else if (char === "#" && word === undefined) {
      const end = line.indexOf("\n", i);
      i = end === -1 ? line.length : end - 1;
    } else if (char === "<" || char === ">") {
      endWord();
      isTarget = true;
      // In `2>&1` the `&` belongs to the redirection.
      if (line.charAt(i + 1) === "&") i++;
    } else if (";&|()`\n".includes(char)) {
      endCommand();
    } else if (char === " " || char === "\t" || char === "\r") {
      endWord();
    } else {
      word = (word ?? "") + char;
    }
  }
  endCommand();
  return commands;
}
