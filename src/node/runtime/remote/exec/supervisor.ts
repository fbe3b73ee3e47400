import { KEEP, OPEN_LOG, TELL } from "@/node/runtime/remote/exec/remoteLogScript";
import { onOneLine } from "@/node/runtime/remote/shellLine";

/**
 * The script that runs a program on the far side and answers for it: `sh`, `cat`, `head` and `sleep` (`tail` for a long
 * input) are all it needs; `setsid` and /proc make it see more.
 *
 * Of plain characters only (no single quote, no newline, a blank after every exclamation mark), so that it stands in
 * the line as it is. Forks are what it costs, so it has as few as do the work:
 *
 * - main waits for a pipeline: the *watcher* writes the program's input, the *runner* reads it;
 * - the runner has the program run in the foreground of a shell whose own words it catches: a shell says “Terminated”
 *   of a signal and says nothing of exit code 143. (In the background the program would ignore SIGINT.) A bash says it
 *   only at the top of a script, so there that shell is a new one;
 * - the watcher reads what follows the input until it ends. That is how the near side lets go, and how a lost
 *   connection is noticed. A *timer* beside it keeps the time limit.
 *
 * Streams: 3 the channel's input, 4 and 5 its outputs; nobody but the program and those who answer hold them open.
 */

/**
 * `$1`: the token, `$2`: seconds or nothing, `$3`: bytes of input, `$4`: the folder, `$5`: what makes the environment,
 * `$6`: what puts words before the program, then the program; `:` as its file is the shell for command lines.
 */
const START = `
t=$1 limit=$2 bytes=$3 cwd=$4 environment=$5 around=$6 main=$$;
shift 6;
exec 3<&0 4>&1 5>&2 </dev/null 2>/dev/null;
echo "$t-started"; echo "$t-started" >&5;
foreground="( exec \\"\\$@\\" >&4 2>&5 3<&- 4>&- 5>&- ); echo \\$?";
over() { echo "$t-over" >&4; echo "$t-over" >&5; };
refuse() { printf "$t-ended refused %s %s %s\\n%s\\n" "$1" "$2" "$3" "$4" >&5; over; };
`;

/**
 * `look` finds whoever belongs to the program: what descends from it, and what is in its session. The table has the
 * program's own parents, too: main, below it the runner, below that the shell that has the program.
 */
const LOOK = `
has() { case " $1 " in *" $2 "*) return 0;; esac; return 1; };
table() {
  newline=$(printf "%bx" "\\012"); newline=\${newline%x};
  rows=$(cat /proc/[0-9]*/stat);
  IFS=$newline; set -f; table=;
  for row in $rows; do
    rest=\${row##*) }; state=\${rest%% *};
    case $state in Z|X) continue;; esac;
    rest=\${rest#* }; parent=\${rest%% *}; rest=\${rest#* }; group=\${rest%% *}; rest=\${rest#* };
    [ "$group" = 0 ] || table="$table\${row%% *} $parent $group \${rest%% *}$newline";
  done;
  [ "$rows" ] || table=$(ps -A -o pid= -o ppid= -o pgid= -o stat=);
  unset IFS;
};
look() {
  table; set -f;
  runners= shells= found=;
  set -- $table;
  while [ "$4" ]; do
    [ "$2" = "$main" ] && [ "$1" -ne "$self" ] && runners="$runners $1";
    shift 4;
  done;
  set -- $table;
  while [ "$4" ]; do has "$runners" "$2" && shells="$shells $1"; shift 4; done;
  grown=1;
  while [ "$grown" ]; do
    grown=;
    set -- $table;
    while [ "$4" ]; do
      if has "$found" "$1"; then :;
      elif has "$shells" "$2"; then
        [ "$3" = "$1" ] && leaders="$leaders $1";
        found="$found $1" grown=1;
      elif has "$found $known" "$2" || has "$leaders" "$4" || has "$leaders" "$3" || has "$known" "$1"; then
        found="$found $1" grown=1;
      fi;
      shift 4;
    done;
  done;
  known=$found;
  set +f;
};
`;

/**
 * `finish SIGNAL`: SIGTERM, and SIGKILL for whoever is there after the grace. The signal tells the runner why, and it
 * is waited for, too: it may be about to start the program. The clock was started where SIGTERM is ignored, so it
 * ignores it, too.
 */
const FINISH = `
finish() {
  trap "" TERM HUP INT USR1;
  sleep "$grace" & clock=$! ;
  told=;
  while :; do
    look;
    [ "$told" ] || kill "-$1" $runners;
    for pid in $found; do has "$told" "$pid" || kill -TERM "$pid"; done;
    told="$told : $found";
    [ "$found" ] || [ "$runners" ] || break;
    sleep 0.04 || sleep 1;
    kill -0 "$clock" || break;
  done;
  look;
  for tries in 1 2 3 4 5; do
    [ "$found" ] || break;
    for pid in $leaders; do kill -KILL "-$pid"; done;
    kill -KILL $found;
    sleep 0.04; look;
  done;
  kill -KILL "$clock";
};

`;

/**
 * The program is not kept waiting for the timer. That is there before what ends it is trapped: a shell that has just
 * been forked swallows what its parent traps. For the same reason its sleep is killed, not asked.
 *
 * More of an input than a pipe takes in goes by way of `tail`, which takes in all of it: a program that does not read
 * must not keep the watcher from watching. A background process that holds such an input without reading it would
 * keep `tail`, so it is ended with the program.
 */
const WATCH = `
stop_timer() {
  [ "$limit" ] || return 0;
  timer=\${timer:-$! };
  kill $timer; wait $timer;
};
quit() {
  [ -z "$feeder" ] || kill -KILL "$feeder";
  stop_timer;
  [ "$bytes" -gt 16384 ] && look && kill -KILL $runners;
  exit 0;
};
watch() {
  read -r self rest </proc/self/stat || self=$(exec sh -c "echo \\$PPID");
  known= leaders= timer= feeder= grace=2;
  LC_ALL=C;
  echo "$self";
  trap quit USR1;
  if [ "$limit" ]; then
    {
      trap "kill -KILL \\$! ; exit" TERM;
      sleep "$limit" & wait $! ;
      finish ALRM;
      kill -USR1 "$self";
    } >/dev/null 3<&- 4>&- 5>&- & timer=$! ;
  fi;
  trap "finish USR2; quit" TERM HUP INT;
  if [ "$bytes" -gt 0 ]; then
    head -c "$bytes" <&3 4>&- 5>&- & feeder=$! ;
    wait "$feeder"; feeder=;
  fi;
  exec >/dev/null;
  while read -r rest <&3; do :; done;
  finish USR2;
  stop_timer;
};
`;

/** `find` looks where the system would, and says what is wrong in the system's words. */
const FIND = `
find() {
  why=ENOENT found=$1;
  case $1 in
  */*)
    case $1 in -*) found=./$1;; esac;
    [ -d "$found" ] && why=EISDIR && return 1;
    [ -f "$found" ] && why=EACCES && [ -x "$found" ] && return 0;
    return 1;;
  "") return 1;;
  esac;
  IFS=:; set -f;
  for folder in $PATH; do
    found=\${folder:-.}/$1;
    [ -f "$found" ] && why=EACCES && [ -x "$found" ] && unset IFS && return 0;
  done;
  unset IFS;
  return 1;
};
`;

/**
 * Whether the program could be started is asked before, but for what its first line names: a start that failed for
 * that has exit code 126 or 127, and only then is it worth a look.
 */
const RUN = `
run() {
  ending=;
  trap "ending=limit" ALRM; trap "ending=stopped" USR2;
  read -r watcher;
  session=; find setsid && session=$found;
  eval "$environment";
  program=$1;
  if [ "$1" = : ]; then
    shift; find bash || found=/bin/sh;
    case $found in */bash) set -- "$found" --norc "$@";; *) set -- "$found" "$@";; esac;
    program=$found;
  fi;
  find "$program" || { refuse program "$why"; kill -USR1 "$watcher"; return 0; };
  case $1 in -*) shift; set -- "$found" "$@";; esac;
  [ -z "$session" ] || set -- "$session" "$@";
  eval "$around";
  [ "$ending" ] || words=$(
    exec 2>&1;
    trap - ALRM USR2;
    [ -z "$BASH_VERSION" ] || exec "\${BASH:-/bin/sh}" -c "set +o posix; $foreground" sh "$@";
    eval "$foreground"
  );
  code=; count=0; set -f;
  for code in $words; do count=$((count + 1)); done;
  line=; interpreter=;
  case $code in 126|127)
    IFS= read -r line <"$found";
    case $line in "#"?/*|"#"?" "*/*) interpreter=\${line#??};; esac;
    set -- $interpreter;
    [ -z "$1" ] || [ -e "$1" ] || { refuse interpreter ENOENT "$line" "$found"; kill -USR1 "$watcher"; return 0; };
  ;; esac;
  echo "$t-ended exited \${code:-none} $count \${ending:-itself}" >&5;
  [ "$ending" ] && return 9;
  over;
  kill -USR1 "$watcher";
  return 0;
};
`;

const ENTER = `
cd "$cwd" || {
  why=EACCES folder=$cwd;
  if [ -d "$cwd" ]; then :;
  elif [ -e "$cwd" ]; then why=ENOTDIR;
  else
    until [ -e "$folder" ] || [ -z "$folder" ]; do folder=\${folder%/*}; done;
    if [ -z "$folder" ]; then why=ENOENT;
    elif [ -d "$folder" ]; then [ -x "$folder" ] && why=ENOENT;
    else why=BELOW; fi;
  fi;
  refuse folder "$why";
  exit 0;
};
unset OLDPWD;
supervise() {
  if [ "$bytes" -gt 16384 ]; then
    watch 4>&- 5>&- 7>&- 8>&- | tail -c "$((bytes + 32))" 3<&- 4>&- 5>&- 7>&- 8>&- | run "$@";
  else
    watch 4>&- 5>&- 7>&- 8>&- | run "$@";
  fi || over;
};
`;

const PLAIN_MAIN = `
supervise "$@"
`;

/** The program's output goes to {@link KEEP}, and what that says to {@link TELL}. */
const LOGGED_MAIN = `
foreground="( exec \\"\\$@\\" >&7 2>&7 3<&- 4>&- 5>&- 7>&- 8>&- ); echo \\$?";
over() { echo over >&8; };
{
  {
    read -r main rest </proc/self/stat || main=$(exec sh -c "echo \\$PPID");
    supervise "$@";
  } 7>&1 >/dev/null | keep 3<&- 4>&- 5>&- ;
} 8>&1 >/dev/null | tell
`;

/** Runs a program, which has the channel's streams for its output. */
export const SUPERVISOR = onOneLine(
  [START, LOOK, FINISH, WATCH, FIND, RUN, ENTER, PLAIN_MAIN].join("")
);

/** Runs a program whose output goes to a file there: four more arguments, see {@link OPEN_LOG}, before the program. */
export const LOGGED_SUPERVISOR = onOneLine(
  [START, OPEN_LOG, KEEP, TELL, LOOK, FINISH, WATCH, FIND, RUN, ENTER, LOGGED_MAIN].join("")
);
