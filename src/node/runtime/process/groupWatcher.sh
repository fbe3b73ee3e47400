# shellcheck shell=sh disable=SC2034,SC2086,SC2295
# Reads `+ GROUP` and `- GROUP` lines. At the end of the input it ends the remaining groups: SIGTERM, and SIGKILL 1 s
# later. With /proc it also finds processes that left their group, by their session and by their parents.
trap '' HUP INT QUIT TERM
groups=' '
while read -r change group; do
  case $change in
    +) groups="$groups$group " ;;
    -) case $groups in *" $group "*) groups="${groups%% $group *} ${groups#* $group }" ;; esac ;;
  esac
done
case $groups in *[0-9]*) ;; *) exit 0 ;; esac
members=' '
look() {
  found=yes
  while [ -n "$found" ]; do
    found=
    for stat in /proc/[0-9]*/stat; do
      pid=${stat#/proc/}
      pid=${pid%/stat}
      case $members in *" $pid "*) continue ;; esac
      { read -r line <"$stat"; } 2>/dev/null || continue
      set -- ${line##*) }
      case $1 in Z | X) continue ;; esac
      case "$groups" in
        *" $3 "* | *" $4 "*) ;;
        *) case $members in *" $2 "*) ;; *) continue ;; esac ;;
      esac
      members="$members$pid "
      found=yes
    done
  done
}
send() {
  sent=
  for group in $groups; do kill -s "$1" -- "-$group" && sent=yes; done
  for pid in $members; do kill -s "$1" -- "$pid" && sent=yes; done
  [ -n "$sent" ]
} 2>/dev/null
look
send TERM
for tick in 1 2 3 4 5 6 7 8 9 10; do
  send 0 || exit 0
  sleep 0.1 || sleep 1
done
send KILL
look
send KILL
