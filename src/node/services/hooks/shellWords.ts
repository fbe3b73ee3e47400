/** A rough reading of shell command lines. Nothing is expanded; what a shell makes of variables stays unknown. */

type Token =
  | { readonly kind: "word"; readonly text: string }
  | { readonly kind: "end" }
  | { readonly kind: "redirection" };

/** The commands between `;`, `&&`, `|` and their like, each as its words; what is redirected is left out. */
export function simpleCommands(line: string): string[][] {
  const commands: string[][] = [[]];
  let isTarget = false;
  for (const token of tokenize(line)) {
    if (token.kind === "end") commands.push([]);
    else if (token.kind === "word" && !isTarget) commands.at(-1)?.push(token.text);
    isTarget = token.kind === "redirection";
  }
  return commands.filter((words) => words.length > 0);
}

function tokenize(line: string): Token[] {
  const tokens: Token[] = [];
  let word: string | undefined;
  let quote = "";
  const endWord = (): void => {
    if (word !== undefined) tokens.push({ kind: "word", text: word });
    word = undefined;
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
      tokens.push({ kind: "redirection" });
      // In `2>&1` the sign belongs to the redirection.
      if (line.charAt(i + 1) === "&") i++;
    } else if (";&|()`\n".includes(char)) {
      endWord();
      tokens.push({ kind: "end" });
    } else if (char === " " || char === "\t" || char === "\r") {
      endWord();
    } else {
      word = (word ?? "") + char;
    }
  }
  endWord();
  return tokens;
}
