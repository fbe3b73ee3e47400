/** The scripts that run a program on another machine. Their rules are at the top of supervisor.sh. */
import enterFolder from "@/node/runtime/remote/exec/enterFolder.sh";
import logWriter from "@/node/runtime/remote/exec/logWriter.sh";
import runLogged from "@/node/runtime/remote/exec/runLogged.sh";
import supervisor from "@/node/runtime/remote/exec/supervisor.sh";
import { onOneLine, READ_WORDS } from "@/node/runtime/remote/shellLine";

/** The script that runs a program whose output goes to the channel's streams. */
export const SUPERVISOR = onOneLine(`${READ_WORDS}\n${supervisor}\n${enterFolder}\nsupervise "$@"`);

/**
 * The script that runs a program whose output goes to a file. The six arguments of logWriter.sh precede the program.
 */
export const LOGGED_SUPERVISOR = onOneLine(
  [READ_WORDS, supervisor, logWriter, enterFolder, runLogged].join("\n")
);
