/**
 * Adds the command `completion`, which prints a completion script for `mux-stop-hooks` in bash or zsh, and the
 * candidates that this script requests: subcommands, options, choices and names of gates (G30b).
 */
import { Argument, Help, type Command, type Option } from "commander";
import type { ExitProcess } from "@/cli/commanderHelpers";
import { type CliContext, EXIT } from "@/cli/context";

/** Returns the names of the gates of the project around the current folder. */
type ListGates = (context: CliContext) => Promise<readonly string[]>;

const CANDIDATES = "candidates";
const SHELLS = ["bash", "zsh"] as const;

const SCRIPTS: Readonly<Record<(typeof SHELLS)[number], string>> = {
  bash: `_mux_stop_hooks() {
  local IFS=$'\\n' program="\${COMP_WORDS[0]}" words=("\${COMP_WORDS[@]:1:COMP_CWORD}")
  [ "\${words[0]}" = hooks ] && [ "$COMP_CWORD" -gt 1 ] && program="$program hooks" words=("\${words[@]:1}")
  IFS=' ' read -r -a program <<<"$program"
  COMPREPLY=($("\${program[@]}" completion ${CANDIDATES} -- "\${words[@]}" 2>/dev/null))
}
complete -o default -F _mux_stop_hooks mux-stop-hooks
`,
  zsh: `#compdef mux-stop-hooks
_mux_stop_hooks() {
  local -a program found rest
  program=("\${words[1]}") rest=("\${(@)words[2,CURRENT]}")
  [[ $rest[1] == hooks && $CURRENT -gt 2 ]] && program+=(hooks) && shift rest
  found=("\${(@f)$("\${program[@]}" completion ${CANDIDATES} -- "\${rest[@]}" 2>/dev/null)}")
  [[ -n $found ]] && compadd -a found || _files
}
compdef _mux_stop_hooks mux-stop-hooks
`,
};

/** A word that needs no quotes in a shell. Other words are not completed. */
const PLAIN = /^[\w.,/=@:+-]+$/;

/** Adds `completion`, which prints the script of a shell. */
export function addCompletion(
  program: Command,
  context: CliContext,
  end: ExitProcess,
  { listGates, hidden = false }: { readonly listGates?: ListGates; readonly hidden?: boolean } = {}
): void {
  program
    .command("completion", { hidden })
    .description("print a script that completes the commands in bash or zsh")
    .addArgument(new Argument("<shell>", "the shell").choices([...SHELLS, CANDIDATES]))
    .argument("[words...]")
    .action(async (shell: keyof typeof SCRIPTS | typeof CANDIDATES, words: readonly string[]) => {
      const found =
        shell === CANDIDATES
          ? await candidates(program, words, async () => (await listGates?.(context)) ?? [])
          : [SCRIPTS[shell].trimEnd()];
      context.stdout.write(found.map((line) => `${line}\n`).join(""));
      end(EXIT.ok);
    });
}

/** Returns the words that can complete the last one of `words`. @param words the command line without the program */
async function candidates(
  program: Command,
  words: readonly string[],
  listGates: () => Promise<readonly string[]>
): Promise<readonly string[]> {
  const [current = ""] = words.slice(-1);
  const before = words.slice(0, -1);
  let command = program;
  let args = 0;
  let option: Option | undefined;
  for (const word of before) {
    if (option !== undefined) option = undefined;
    else if (word.startsWith("-")) {
      const named = command.options.find(({ long, short }) => long === word || short === word);
      option = named?.required === true ? named : undefined;
    } else {
      const next = args === 0 ? command.commands.find((each) => each.name() === word) : undefined;
      if (next === undefined) args++;
      command = next ?? command;
    }
  }
  const values = option?.long === "--gate" ? await listGates() : option?.argChoices;
  const all =
    option !== undefined
      ? (values ?? [])
      : current.startsWith("-")
        ? command.options.flatMap(({ long, hidden }) => (hidden ? [] : (long ?? [])))
        : wordsOf(command, args);
  return all.filter((word) => word.startsWith(current) && PLAIN.test(word));
}

/** Returns the subcommands, or the choices of the next argument. */
function wordsOf(command: Command, args: number): readonly string[] {
  const { registeredArguments, commands } = command;
  if (command.name() === "help") return (command.parent?.commands ?? []).map((each) => each.name());
  if (commands.length > 0 && args === 0)
    return new Help().visibleCommands(command).map((each) => each.name());
  const choices = registeredArguments[args]?.argChoices ?? [];
  return choices.filter((choice) => choice !== CANDIDATES);
}
