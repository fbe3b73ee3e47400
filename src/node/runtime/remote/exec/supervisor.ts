/** The scripts that run a program on another machine. Their rules are at the top of supervisor.sh. */
import type { ExecRequest } from "@/node/runtime/HookRuntime";
import enterFolder from "@/node/runtime/remote/exec/enterFolder.sh";
import logWriter from "@/node/runtime/remote/exec/logWriter.sh";
import runLogged from "@/node/runtime/remote/exec/runLogged.sh";
import supervisor from "@/node/runtime/remote/exec/supervisor.sh";
import { onOneLine, READ_WORDS, shellWord } from "@/node/runtime/remote/shellLine";

/** The script that runs a program whose output goes to the channel's streams. */
export const SUPERVISOR = onOneLine(`${READ_WORDS}\n${supervisor}\n${enterFolder}\nsupervise "$@"`);

/**
 * The script that runs a program whose output goes to a file. The six arguments of logWriter.sh precede the program.
 */
export const LOGGED_SUPERVISOR = onOneLine(
  [READ_WORDS, supervisor, logWriter, enterFolder, runLogged].join("\n")
);

/**
 * Returns the shell commands that make the environment of a request (H14): names are removed first, then values set.
 * Names that the shell cannot set itself (`A-B`, and names with a meaning for it) are left to `env`, before the
 * program.
 */
export function environmentScript({ env = {}, unsetEnv = [], passEnv = [] }: ExecRequest): {
  readonly environment: string;
  readonly around: string;
} {
  const values = Object.entries(env);
  const own = values.filter(([name]) => isSettable(name)).map(assignment);
  const others = values.filter(([name]) => !isSettable(name)).map(assignment);
  return {
    environment: [
      ...unset(unsetEnv, passEnv),
      ...(own.length > 0 ? [`export ${own.join(" ")}`] : []),
    ].join("; "),
    around: others.length > 0 ? `set -- env ${others.join(" ")} "$@"` : "",
  };
}

function assignment([name, value]: [string, string]): string {
  return isSettable(name) ? `${name}=${shellWord(value)}` : shellWord(`${name}=${value}`);
}

function isSettable(name: string): boolean {
  return /^[A-Za-z_]\w*$/.test(name) && !SPECIAL.test(name);
}

const SPECIAL =
  /^(_|IFS|ENV|PPID|UID|EUID|GROUPS|PWD|OLDPWD|LINENO|OPTIND|OPTARG|RANDOM|SECONDS|EPOCH\w+|HIST\w*|PS\d|POSIXLY_CORRECT|SHELLOPTS|DIRSTACK|FUNCNAME|HOSTNAME|[A-Z]*BASH\w*|t|limit|bytes|cwd|environment|around|foreground|rows|watcher|session|program|found|why|folder|ending|words|code|count|line|interpreter|name|names)$/;

/** Returns the commands that remove names. The environment is only listed if a pattern needs it. */
function unset(unsetEnv: readonly string[], passEnv: readonly string[]): string[] {
  const plain = unsetEnv.filter((name) => isName(name) && !passEnv.includes(name));
  const beginnings = unsetEnv.filter((pattern) => pattern.endsWith("*") && /^\w*\*$/.test(pattern));
  const passed = passEnv.filter(isName);
  const lines = plain.length > 0 ? [`unset ${plain.join(" ")}`] : [];
  if (beginnings.length > 0) {
    const keep = passed.length > 0 ? `${passed.join("|")}) continue;; ` : "";
    const isAny = beginnings.map((pattern) => `*" "${pattern}`).join("|");
    lines.push(
      // Checking each name takes longer, and usually none matches.
      `names=$(export -p); case $names in ${isAny}) set -f; for name in $names; do name=\${name%%=*}; ` +
        `case $name in ${keep}${beginnings.join("|")}) command unset "$name";; esac; done; set +f;; esac`
    );
  }
  return lines;
}

function isName(name: string): boolean {
  return /^[A-Za-z_]\w*$/.test(name);
}
