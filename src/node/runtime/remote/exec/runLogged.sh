# shellcheck shell=sh disable=SC2034
# Runs the program with its output piped to `keep`, whose reports are piped to `tell`. The report that the program is
# over has a line of its own even if `dd` has written only a part of its statistics.
foreground="( exec \"\$@\" >&7 2>&7 3<&- 4>&- 5>&- 7>&- 8>&- ); echo \$?";
over() { [ -z "$1" ] || echo "$1" >&5; printf "\nover\n" >&8; };
{
  {
    read -r main rest </proc/self/stat || main=$(exec sh -c "echo \$PPID");
    supervise "$@";
  } 7>&1 >/dev/null | keep 3<&- 4>&- 5>&- ;
} 8>&1 >/dev/null | tell
