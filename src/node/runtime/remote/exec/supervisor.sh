# shellcheck shell=sh disable=SC1007,SC2034,SC2059,SC2086
# Runs a program on the other machine and reports how it ended. It needs `sh`, `cat`, `head` and `sleep`, and `tail` for
# a long input. With `setsid` and /proc it finds more of the program's descendants.
#
# The text is sent as one line of printable ASCII: no single quote, a blank after every exclamation mark, and every line
# ends where a command does. Comment lines are removed. Unquoted variables are lists of words.
#
# Each fork costs time, so there are few:
#
# - main waits for a pipeline: the watcher writes the program's input, and the runner reads it;
# - the runner runs the program in the foreground of a shell and captures what that shell prints. A shell prints
#   "Terminated" for a signal and nothing for exit code 143. (In the background the program would ignore SIGINT.) bash
#   prints it only at the top level of a script, so in bash a new shell is started;
# - the watcher reads the rest of the input until it ends. The end of the input means that the caller gives up or that
#   the connection is lost. A timer beside it enforces the time limit.
#
# Descriptors: 3 is the channel's input, 4 and 5 are its outputs. Only the program and the processes that report hold
# them.
#
# $1: the token, $2: seconds or empty, $3: bytes of input, $4: the folder, $5: the script that sets the environment,
# $6: the script that puts words before the program, then the program; `:` as its file means the default shell.
t=$1 limit=$2 bytes=$3 cwd=$4 environment=$5 around=$6 main=$$;
shift 6;
exec 3<&0 4>&1 5>&2 </dev/null 2>/dev/null;
echo "$t-started"; echo "$t-started" >&5;
foreground="( exec \"\$@\" >&4 2>&5 3<&- 4>&- 5>&- ); echo \$?";
# `over REPORT` sends the report, if there is one, and the marks after the last byte of both streams.
over() { echo "$t-over" >&4; printf "${1:+%s\n}$t-over\n" "$1" >&5; };
refuse() { printf "$t-ended refused %s %s %s\n%s\n" "$1" "$2" "$3" "$4" >&5; over; };

# `look` finds the processes of the program: its descendants, and the members of its session. The table also has the
# program's own parents: main, below it the runner, below that the shell that runs the program.
has() { case " $1 " in *" $2 "*) return 0;; esac; return 1; };
table() {
  newline=$(printf "%bx" "\012"); newline=${newline%x};
  rows=$(cat /proc/[0-9]*/stat);
  IFS=$newline; set -f; table=;
  for row in $rows; do
    rest=${row##*) }; state=${rest%% *};
    case $state in Z|X) continue;; esac;
    rest=${rest#* }; parent=${rest%% *}; rest=${rest#* }; group=${rest%% *}; rest=${rest#* };
    [ "$group" = 0 ] || table="$table${row%% *} $parent $group ${rest%% *}$newline";
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

# `finish SIGNAL` sends SIGTERM, and SIGKILL to the processes left after the grace period. A process that starts meanwhile
# may clean up for its parent, so it is sent SIGTERM only once its parent has ended. SIGNAL informs the runner of the
# reason. `finish` also waits for the runner, because it may be about to start the program. The clock is started while
# SIGTERM is ignored, so it ignores it as well.
# A look reads all processes of the machine, so later ones are further apart.
finish() {
  trap "" TERM HUP INT USR1;
  sleep "$grace" & clock=$! ;
  reason=$1 told= pause=0.04;
  while :; do
    look;
    [ "$told" ] || kill "-$reason" $runners;
    new=;
    set -- $table;
    while [ "$4" ]; do
      if has "$told" "$1" || ! has "$found" "$1"; then :;
      elif [ -z "$told" ] || ! has "$found" "$2"; then new="$new $1";
      fi;
      shift 4;
    done;
    for pid in $new; do kill -TERM "$pid"; done;
    told="$told : $new";
    [ "$found" ] || [ "$runners" ] || break;
    sleep "$pause" || sleep 1;
    kill -0 "$clock" || break;
    case $pause in 0.04) pause=0.08;; *) pause=0.2;; esac;
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

# The program does not wait for the timer, so the process that passes the input is started before it. The timer is started
# before the signals that end it are trapped, because a shell that has just been forked ignores the signals that its
# parent traps. For the same reason its sleep is killed.
#
# An input that is larger than a pipe goes through `tail`, which reads all of it: a program that does not read must not
# block the watcher. A background process that holds such an input without reading it would block `tail`, so it is ended
# with the program.
stop_timer() {
  [ "$limit" ] || return 0;
  timer=${timer:-$! };
  kill $timer; wait $timer;
  limit=;
};
# The timer may end the program already: then this waits for it, so that nothing gets SIGTERM twice.
give_up() { stop_timer; finish USR2; };
quit() {
  [ -z "$feeder" ] || kill -KILL "$feeder";
  stop_timer;
  [ "$bytes" -gt 16384 ] && look && kill -KILL $runners;
  exit 0;
};
# bash would end a `read` of the watcher after TMOUT seconds.
watch() {
  unset TMOUT;
  read -r self rest </proc/self/stat || self=$(exec sh -c "echo \$PPID");
  known= leaders= timer= feeder= grace=2;
  LC_ALL=C;
  trap quit USR1;
  echo "$self";
  if [ "$bytes" -gt 0 ]; then
    head -c "$bytes" <&3 4>&- 5>&- & feeder=$! ;
  fi;
  if [ "$limit" ]; then
    {
      trap "kill -KILL \$! ; exit" TERM;
      sleep "$limit" & wait $! ;
      finish ALRM;
      kill -USR1 "$self";
    } >/dev/null 3<&- 4>&- 5>&- & timer=$! ;
  fi;
  trap "give_up; quit" TERM HUP INT;
  [ -z "$feeder" ] || { wait "$feeder"; feeder=; };
  exec >/dev/null;
  while read -r rest <&3; do :; done;
  give_up;
};

# `find` searches as the system would, and sets `why` to the system's error code.
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
    found=${folder:-.}/$1;
    [ -f "$found" ] && why=EACCES && [ -x "$found" ] && unset IFS && return 0;
  done;
  unset IFS;
  return 1;
};

# Sets the environment while the watcher is starting, and reads the watcher's process ID after that.
#
# Checks first whether the program can be started, except for the interpreter that its first line names. If that is
# missing, the start fails with exit code 126 or 127, so the line is only read then.
run() {
  ending=;
  trap "ending=limit" ALRM; trap "ending=stopped" USR2;
  session=; find setsid && session=$found;
  eval "$environment";
  program=$1;
  if [ "$1" = : ]; then
    shift; find bash || found=/bin/sh;
    case $found in */bash) set -- "$found" --norc "$@";; *) set -- "$found" "$@";; esac;
    program=$found;
  fi;
  read -r watcher;
  find "$program" || { refuse program "$why"; kill -USR1 "$watcher"; return 0; };
  case $1 in -*) shift; set -- "$found" "$@";; esac;
  [ -z "$session" ] || set -- "$session" "$@";
  eval "$around";
  [ "$ending" ] || words=$(
    exec 2>&1;
    trap - ALRM USR2;
    [ -z "$BASH_VERSION" ] || exec "${BASH:-/bin/sh}" -c "set +o posix; $foreground" sh "$@";
    eval "$foreground"
  );
  code=; count=0; set -f;
  for code in $words; do count=$((count + 1)); done;
  line=; interpreter=;
  case $code in 126|127)
    IFS= read -r line <"$found";
    case $line in "#"?/*|"#"?" "*/*) interpreter=${line#??};; esac;
    set -- $interpreter;
    [ -z "$1" ] || [ -e "$1" ] || { refuse interpreter ENOENT "$line" "$found"; kill -USR1 "$watcher"; return 0; };
  ;; esac;
  ended="$t-ended exited ${code:-none} $count ${ending:-itself}";
  [ "$ending" ] && echo "$ended" >&5 && return 9;
  over "$ended";
  kill -USR1 "$watcher";
  return 0;
};
