# shellcheck shell=sh disable=SC1007,SC2046,SC2059,SC2154
# Writes the log of a program on the other machine with `dd`, `ls`, `tail` and `od`. The first half of the output is
# appended to the log as it arrives. The rest goes to two files beside it in turn, each slightly longer than a half, and
# the last half of these is appended at the end. The output is never held in memory or sent over the connection.
#
# Opens the log. $1: the file, $2: its folder, $3 and $4: bytes of the first and of the last half, $5: the header,
# $6: whether a footer follows. A run that was killed may have left its part files.
log=$1 folder=$2 head=$3 half=$4 header=$5 footer=$6;
shift 6;
one=$log.part1 two=$log.part2;
problem=$(
  exec 2>&1;
  LC_ALL=C; export LC_ALL;
  umask 077;
  [ -d "$folder" ] || mkdir -p -- "$folder" || exit 1;
  [ -d "$log" ] && echo "Is a directory" && exit 1;
  if [ -f "$log" ]; then :; elif [ -e "$log" ]; then echo "$log is not a file"; exit 1; fi;
  printf %s "$header" >>"$log" || exit 1;
  [ -e "$one" ] || [ -e "$two" ] || exit 0;
  rm -f -- "$one" "$two"
) || { refuse log "$problem"; exit 0; };

# `keep` reads the program's output from standard input, and reports on descriptor 8: its process ID, the errors of its
# tools, and the number of bytes. SIGTERM stops it: the program has ended, and other processes hold the pipe.
#
# `dd` reads no more from a pipe than its count. The count is in blocks, which a slow program fills only in part, so the
# size of the file shows how much has arrived. After SIGTERM it reads what the pipe still holds if its `dd` can do that
# without waiting, because a busy machine may have delayed the reading. SIGTERM, which is repeated, has no effect while
# no `dd` is asleep, because it may have read what it has not written yet. Another process may keep it busy, so that
# ends after 12 times. After a `wait` that SIGTERM has interrupted, the exit code is unknown: some shells forget it.
is_asleep() {
  tries=$((tries + 1)) state=S;
  [ "$tries" -ge 12 ] || [ ! -e /proc/self/stat ] || {
    state=; read -r state state state rest <"/proc/$reader/stat";
  } 2>/dev/null;
  [ "$state" = S ];
};
await() {
  busy=;
  wait "$reader"; code=$? ;
  [ "$busy" ] || [ "$code" -eq 143 ] || return;
  while kill -0 "$reader" && { wait "$reader"; [ "$?" -gt 128 ]; }; do :; done 2>/dev/null;
  code=;
};
size() { size=0; [ -e "$1" ] && set -f && set -- $(ls -ln "$1") && size=$5; set +f; };
catch_up() {
  [ "$pipe" -gt 0 ] || return 1;
  [ "$left" -lt "$pipe" ] || left=$pipe;
  dd iflag=nonblock bs="$left" count=1 <&6 >>"$1" 2>/dev/null 8>&-;
  size "$1"; left=$((size - before)) pipe=$((pipe - size + before));
  [ "$left" -gt 0 ];
};
fill() {
  while :; do
    size "$1"; before=$size left=$(($2 - size));
    [ "$left" -gt 0 ] || return 0;
    [ "$stop" ] && { catch_up "$1" || return 1; continue; };
    block=65536 count=$((left / 65536 + $3));
    [ "$count" -gt 0 ] || block=$left count=1;
    dd bs="$block" count="$count" <&6 >>"$1" 2>&8 8>&- & reader=$! ;
    await;
    [ -z "$stop" ] || { wait "$reader"; continue; };
    [ "$code" ] || continue;
    size "$1";
    [ "$code" -eq 0 ] || failed=1;
    [ "$failed" ] && return 1;
    [ "$size" -gt "$before" ] || return 1;
  done;
};
byte() { set -- $(tail -c 1 "$log" | od -An -tu1); byte=$1; };
cut_end() {
  set -- $(tail -c 4 "$log" | od -An -tu1);
  trim=0;
  while [ "$1" ]; do
    need=1;
    [ "$1" -ge 192 ] && need=2; [ "$1" -ge 224 ] && need=3; [ "$1" -ge 240 ] && need=4;
    [ "$need" -gt "$#" ] && trim=$# && break;
    shift;
  done;
  [ "$trim" -le "$first" ] || trim=0;
  [ "$trim" -eq 0 ] && return;
  first=$((first - trim));
  dd if=/dev/null of="$log" bs=1 seek="$((from + first))" count=0 2>/dev/null;
};
last() {
  { [ "$old" -le 0 ] || tail -c "$old" "$two"; } &&
  { [ "$new" -le 0 ] || tail -c "$new" "$one"; };
};
cut_start() {
  set -- $(last 2>/dev/null | dd bs=1 count=3 2>/dev/null | od -An -tu1);
  while [ "$1" ] && [ "$1" -ge 128 ] && [ "$1" -lt 192 ]; do
    if [ "$old" -gt 0 ]; then old=$((old - 1)); else new=$((new - 1)); fi;
    shift;
  done;
};
join() {
  size "$two"; old=$size; size "$one"; new=$size;
  total=$((first + gone + old + new));
  [ -z "$failed" ] || return;
  if [ "$((gone + old + new))" -gt "$half" ]; then
    cut_end;
    [ "$new" -le "$half" ] || new=$half;
    old=$((half - new));
    cut_start;
    lost=$((total - first - old - new)) plural=s newline=;
    [ "$lost" -eq 1 ] && plural=;
    [ "$first" -eq 0 ] || { byte; [ "$byte" = 10 ] || newline="\n"; };
    printf "$newline\133\342\200\246 $lost byte$plural left out \342\200\246\135\n" >>"$log" || failed=1;
  fi;
  last >>"$log" || failed=1;
  [ "$footer" ] && [ "$total" -gt 0 ] && byte && { [ "$byte" = 10 ] || echo >>"$log"; };
};
keep() {
  exec 6<&0 </dev/null 2>&8;
  LC_ALL=C; export LC_ALL; umask 077;
  reader= stop= failed= gone=0 pipe=65536 tries=0;
  trap "if is_asleep; then stop=1; kill \$reader; else busy=1; fi 2>/dev/null" TERM;
  read -r keeper rest </proc/self/stat || keeper=$(exec sh -c "echo \$PPID");
  echo "keeper $keeper" >&8;
  size "$log"; from=$size;
  if fill "$log" "$((from + head))" 0; then
    while fill "$one" "$((half + 1))" 15; do
      rest=$one one=$two two=$rest;
      size "$one"; gone=$((gone + size));
      : >"$one";
    done;
  fi;
  [ "$failed" ] && [ -z "$stop" ] && { wc -c <&6 >&8 8>&- & reader=$! ; await; };
  trap "" TERM;
  size "$log"; first=$((size - from));
  join;
  [ -e "$one" ] || [ -e "$two" ] && rm -f -- "$one" "$two";
  [ -z "$failed" ] || echo failed >&8;
  echo "$total" >&8;
};

# `tell` reads the reports on descriptor 8 and sends the result at the end: the number of bytes, and the errors. After
# the program has ended, its output has a quarter of a second to end, even if another process still holds it. A short
# program may end before `keep` has reported its process ID.
stop_keeper() {
  {
    sleep 0.25 || sleep 1;
    while kill "$keeper"; do sleep 0.25 || sleep 1; done;
  } <&- >/dev/null 3<&- 4>&- 5>&- &
};
tell() {
  unset TMOUT;
  keeper= over= total=0 words= failed=;
  while read -r word rest; do
    case $word in
      keeper) keeper=$rest; [ -z "$over" ] || stop_keeper;;
      over) over=1; [ -z "$keeper" ] || stop_keeper;;
      failed) failed=1;;
      [0-9]*) case $rest in "") total=$((total + word));; esac;;
      ""|,*) ;;
      *) words="$word $rest";;
    esac;
  done;
  [ "$failed" ] && words=${words:-dd: failed} || words=;
  echo "$t-logged $total $words" >&5;
  echo "$t-over" >&4; echo "$t-over" >&5;
};
