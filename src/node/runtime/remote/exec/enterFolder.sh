# shellcheck shell=sh disable=SC2154
# Enters the program's folder, or reports why it cannot; then defines `supervise`, which runs the program.
cd "$cwd" || {
  why=EACCES folder=$cwd;
  if [ -d "$cwd" ]; then :;
  elif [ -e "$cwd" ]; then why=ENOTDIR;
  else
    until [ -e "$folder" ] || [ -z "$folder" ]; do folder=${folder%/*}; done;
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
