# shellcheck shell=sh disable=SC1007,SC2088
# Prints the real path of the folder $1, which is absolute or below the user's home. Exit code 3: it does not exist.
case $1 in "~") dir=$HOME ;; "~/"*) dir=$HOME/${1#"~/"} ;; *) dir=$1 ;; esac
[ -d "$dir" ] || exit 3
CDPATH= cd -P -- "$dir" && pwd -P
