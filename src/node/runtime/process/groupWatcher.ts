/**
 * Ends the running process groups when this process is killed, SIGKILL included (H23a). A small shell holds the other
 * end of a pipe: it gets the number of each group, and the pipe closes when this process ends, however it ends.
 */
import { spawn } from "node:child_process";
import { Socket } from "node:net";
import type { Writable } from "node:stream";

/**
 * Reads `+ GROUP` and `- GROUP`, and at the end of its input ends what is left: SIGTERM, and SIGKILL 1 s later. Where
 * there is a /proc, processes that left their group are found by their session and by their parents.
 */
const SCRIPT = `
trap '' HUP INT QUIT TERM
groups=' '
while read -r change group; do
  case $change in
    +) groups="$groups$group " ;;
    -) case $groups in *" $group "*) groups="\${groups%% $group *} \${groups#* $group }" ;; esac ;;
  esac
done
case $groups in *[0-9]*) ;; *) exit 0 ;; esac
members=' '
look() {
  found=yes
  while [ -n "$found" ]; do
    found=
    for stat in /proc/[0-9]*/stat; do
      pid=\${stat#/proc/}
      pid=\${pid%/stat}
      case $members in *" $pid "*) continue ;; esac
      { read -r line <"$stat"; } 2>/dev/null || continue
      set -- \${line##*) }
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
`;

let pipe: Writable | undefined;

/**
 * Starts the watcher, once for the life of this process. Without one, programs run all the same.
 *
 * @param groups the groups that run already, where an earlier watcher was lost
 */
export function startGroupWatcher(groups: Iterable<number>): void {
  if (pipe !== undefined) return;
  const child = spawn("/bin/sh", ["-c", SCRIPT], {
    cwd: "/",
    env: { PATH: process.env.PATH },
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  const forget = (): void => {
    pipe = undefined;
  };
  child.on("error", forget);
  child.on("exit", forget);
  if (child.pid === undefined) return;
  pipe = child.stdin;
  pipe.on("error", forget);
  if (pipe instanceof Socket) pipe.unref();
  child.unref();
  for (const group of groups) watchGroup(group);
}

export function watchGroup(leader: number): void {
  pipe?.write(`+ ${leader}\n`);
}

export function unwatchGroup(leader: number): void {
  pipe?.write(`- ${leader}\n`);
}
