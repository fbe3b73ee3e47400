# shellcheck shell=sh
# Runs the SSH connection, which never outlives this program: the end of standard input ends the connection. The end of
# the connection removes the folder of its socket.
#
# $1: the folder, then the command of the connection.
folder=$1; shift
exec 3<&0
"$@" </dev/null 3<&- &
master=$!
{ unset TMOUT; read -r _; kill "$master"; } <&3 3<&- 2>/dev/null &
watch=$!
exec 3<&-
wait "$master"; code=$?
kill "$watch" 2>/dev/null
rm -rf -- "$folder"
exit "$code"
