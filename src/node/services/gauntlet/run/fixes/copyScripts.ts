/**
 * Shell scripts that copy files before and after a fix, and restore them (G35). `cp -p` keeps bytes and modes, which git
 * does not. After its own arguments, each script gets a path in the project and the name of its copy for each file.
 */

const EACH = "while [ $# -gt 0 ]; do file=$1 name=$2; shift 2";

/** Argument: the folder for the copies. A file that does not exist has no copy. */
export const COPY = `to=$1; shift
(umask 077; mkdir -p "$to") || exit
${EACH}
  if [ -f "$file" ] && [ ! -L "$file" ]; then cp -p "$file" "$to/$name" || exit; fi
done`;

/** Arguments: the folder for the copies, and a tree of git. The mode is that of the file now, if it exists. */
export const TAKE_FROM_TREE = `to=$1 tree=$2; shift 2
(umask 077; mkdir -p "$to") || exit
${EACH}
  entry=$(git -c safe.bareRepository=explicit ls-tree "$tree" "$file")
  case $entry in '' | 120000* | 160000*) continue ;; esac
  if [ -f "$file" ]; then cp -p "$file" "$to/$name" || exit; fi
  git -c safe.bareRepository=explicit cat-file --filters "$tree:$file" > "$to/$name" || exit
  case $entry in 100755*) chmod +x "$to/$name" ;; esac
done`;

/**
 * Argument: the folder with the copies before and after. Prints a line for each file: `restored`, `same` if it already is
 * as before, or `changed` if it is not as the fix left it. A link is never followed.
 */
export const RESTORE = `from=$1 root=$(pwd -P); shift
is() { if [ -f "$1" ]; then [ -f "$file" ] && cmp -s "$1" "$file"; else [ ! -e "$file" ]; fi; }
${EACH}
  parent=$(dirname "$file")
  if [ -f "$from/before/$name" ]; then mkdir -p "$parent" || exit; fi
  expected=$root\${parent#.}
  real=$(cd "$parent" 2> /dev/null && pwd -P) || real=$expected
  if [ -L "$file" ] || [ "$real" != "$expected" ]; then echo changed
  elif is "$from/before/$name"; then echo same
  elif ! is "$from/after/$name"; then echo changed
  elif [ -f "$from/before/$name" ]; then cp -pf "$from/before/$name" "$file" && touch "$file" && echo restored || exit
  else rm -f "$file" && echo restored || exit
  fi
done`;
