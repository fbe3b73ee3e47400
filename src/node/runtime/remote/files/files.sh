# shellcheck shell=sh disable=SC2012,SC2046,SC2069,SC2086,SC2154,SC2209,SC3013
# The file operations on another machine, as functions of one POSIX script. It needs a shell (dash, bash, busybox) and
# cat, chmod, head, ln, ls, mkdir, mv, readlink, rm, rmdir, stat, tail, wc, and starts as few of them as possible. Every
# path is absolute, so none can be taken for an option.
#
# $token_left, $token_right: the token, $flavour: `c` for GNU's and busybox's `stat`, `f` for that of BSD and macOS, or
# empty. Unquoted variables are lists of words.
LC_ALL=C; export LC_ALL
trap '' HUP PIPE
u=
mark() { printf '\n%s%s %s\n' "$token_left" "$token_right" "$1"; }
[ "$flavour" ] || if stat -c %s / >/dev/null 2>&1; then flavour=c; else flavour=f; fi
mark "$flavour"

stats() {
  if [ $flavour = c ]; then stat -L -c '%f %s %d:%i|%Y %y|%Z %z' "$@"; else stat -L -f '%Xp %z %d:%i|%Fm|%Fc' "$@"; fi
}
owners() {
  if [ $flavour = c ]; then stat -L -c '%a %u:%g' "$@"; else stat -L -f '%Lp %u:%g' "$@"; fi
}

# Succeeds if a path does not exist and is not merely inaccessible.
is_gone() {
  g=$1
  while [ ! -L "$g" ]; do
    g=${g%/*}
    if [ -e "$g/" ]; then [ -x "$g/" ]; return; fi
    if [ -e "$g" ]; then return 0; fi
  done
  return 1
}

# Collects marks, which are printed at once.
note() {
  notes="$notes
$token_left$token_right $1
"
}
tell() { printf %s "$notes"; notes=; }
look() {
  notes=
  for p do
    shift
    if [ -e "$p" ]; then
      set -- "$@" "$p"
      if [ -x "$p" ]; then note executable; else note there; fi
    elif is_gone "$p"; then note gone
    else
      tell; stats "$p" 2>&1; r=$?
      [ $r = 0 ] || [ ! -L "$p" ] || r=link
      mark $r
    fi
  done
  tell
  [ $# -gt 0 ] || return 0
  if stats "$@" 2>/dev/null; then mark 0; return; fi
  mark 1
  for p do stats "$p" 2>&1; mark $?; done
}

read_file() {
  if [ -d "$1" ]; then mark EISDIR
  elif [ -e "$1" ] && [ ! -f "$1" ]; then mark EINVAL
  elif [ "$4" -gt 0 ] && [ -r "$1" ]; then tail -c "+$(($4 + 1))" "$1" 2>/dev/null | head -c "$2"; mark 0
  else "$3" -c "$2" "$1" 2>&1; mark $?
  fi
}

# Prints the matches of a pattern. If there are none, the shell passes the pattern itself.
names() {
  [ "$2" != "$1" ] || [ -e "$1" ] || [ -L "$1" ] || return 0
  shift
  printf '%s\0' "$@"
}
list_folder() {
  if [ -d "$1" ] && [ -r "$1" ]; then
    d=${1%/}
    names "$d/*" "$d"/*
    names "$d/.*" "$d"/.*
    mark 0
  else ls "$1/" 2>&1 >/dev/null; mark $?
  fi
}

make_folder() { [ -d "${1%/*}/" ] || mkdir -p "${1%/*}" 2>&1; }
# Creates the parent folder. A file in its place is ENOTDIR, because EEXIST would be about another path.
make_room() {
  if [ -e "${1%/*}" ] && [ ! -d "${1%/*}/" ]; then mark ENOTDIR; return 1; fi
  make_folder "$1" || { mark 1; return 1; }
}

# Files may contain parts of a session's conversation, so they are private. Their folders get the user's own mode.
private() { [ "$u" ] || u=$(umask); umask 077; }
shared() { umask "$u"; }
# Prints a mode without the bits for others that the user's umask removes.
allowed() { printf %o $((0$1 & (0700 | ~0$u))); }
# Receives all data in a new file before it is used: the transfer may break off, or the disk be full.
receive() {
  if [ "$3" = stdin ]; then cat; else printf %s "$4" 2>/dev/null | cat; fi >"$1" || return
  n=$(wc -c <"$1") && n=$((n))
  [ "$n" = "$2" ] || { echo "$n of $2 bytes arrived"; return 1; }
}

write_file() {
  p=$1
  make_folder "$p" || { mark 1; return; }
  while [ -L "$p" ] && [ -e "$p" ]; do
    l=$(readlink "$p"; echo .)
    l=${l%?.}
    case $l in /*) p=$l ;; *) p=${p%/*}/$l ;; esac
  done
  if [ -d "$p" ]; then mark EISDIR; return; fi
  if [ -e "$p" ] && [ ! -f "$p" ]; then mark EINVAL; return; fi
  t=${p%/*}/$2
  private
  if { receive "$t" "$4" "$5" "$6" && set_mode "$p" "$t" "$3" && mv -f "$t" "$p"; } 2>&1; then mark 0
  else rm -f "$t"; mark 1
  fi
  shared
}
set_mode() {
  if [ ! -e "$1" ]; then [ "$3" = 600 ] || chmod "$(allowed "$3")" "$2"; return; fi
  set -- "$2" $(owners "$1" "$2")
  [ "$3" = "$5" ] || chown "$3" "$1" 2>/dev/null
  [ "$2" = "$4" ] || chmod "$2" "$1"
}

create_file() {
  if [ -e "$1" ] || [ -L "$1" ]; then mark EEXIST; return; fi
  make_room "$1" || return
  t=${1%/*}/$2
  private
  { receive "$t" "$4" "$5" "$6" && { [ "$3" = 600 ] || chmod "$(allowed "$3")" "$t"; } && ln "$t" "$1"; } 2>&1
  r=$?
  shared
  rm -f "$t"
  mark $r
}

append_file() {
  if [ -d "$1" ]; then mark EISDIR; return; fi
  if [ -e "$1" ]; then
    if [ ! -f "$1" ]; then mark EINVAL; return; fi
    c=
  else make_room "$1" || return; c=$3
  fi
  t=${1%/*}/$2
  private
  # A pipe passes on this much at once, and so does cat.
  if [ "$5" = text ] && [ "$4" -le 4096 ]; then { printf %s "$6" 2>/dev/null | cat >>"$1"; } 2>&1
  else { receive "$t" "$4" "$5" "$6" && cat "$t" >>"$1"; } 2>&1
  fi
  r=$?
  shared
  [ -z "$c" ] || [ "$c" = 600 ] || [ $r != 0 ] || { chmod "$(allowed "$c")" "$1" 2>&1; r=$?; }
  [ ! -e "$t" ] || rm -f "$t"
  mark $r
}

is_folder() { [ -d "$1" ] && [ ! -L "$1" ]; }
rename_file() {
  if [ ! -e "$1" ] && [ ! -L "$1" ]; then ls -d "$1" 2>&1 >/dev/null; mark 1; return; fi
  make_room "$2" || return
  if is_folder "$1"; then
    if is_folder "$2"; then
      if [ "$1" -ef "$2" ]; then mark 0; return; fi
      rmdir "$2" 2>&1 || { mark 1; return; }
    elif [ -e "$2" ] || [ -L "$2" ]; then mark ENOTDIR; return
    fi
  elif is_folder "$2"; then mark EISDIR; return
  elif [ -d "$2" ]; then rm -f "$2" 2>&1
  fi
  mv -f "$1" "$2" 2>&1
  mark $?
}

remove_file() {
  if [ -e "$1" ] || [ -L "$1" ] || ! is_gone "$1"; then rm -rf "$1" 2>&1; mark $?; else mark 0; fi
}

make_scratch() {
  c=$XDG_CACHE_HOME
  case $c in /*) ;; *) c=${HOME:+$HOME/.cache} ;; esac
  case $c in /*) ;; *) echo 'neither HOME nor XDG_CACHE_HOME names a folder'; mark 1; return ;; esac
  private
  { mkdir -p "$c/mux-stop-hooks" && mkdir "$c/mux-stop-hooks/$1"; } 2>&1
  r=$?
  shared
  if [ $r = 0 ]; then
    # An append changes the time of the file, but not that of its folder.
    find "$c/mux-stop-hooks/." ! -name . -prune -name 'session-*' -mtime +7 \
      -exec sh -c '[ "$(find "$1" ! -mtime +7 | head -n 1)" ] || rm -rf "$1"' sh {} \; 2>/dev/null
    ls "$c/mux-stop-hooks" | head -n 200
    printf '\n%s' "$c/mux-stop-hooks/$1"
  fi
  mark $r
}
