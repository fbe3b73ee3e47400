/** The kinds of machines that a connection may lead to, each simulated by a PATH of this one. */
import { chmod, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findOnPath } from "@/node/runtime/process/startFailure";
import { execFileAsync } from "@test/helpers/process/processes";
import { pathOf } from "@scripts/programs.mjs";
import { tempDir } from "@test/helpers/tempDir";

/** Returns one machine for each shell that is installed here. That with bash has the `stat` of BSD, like macOS. */
export async function farMachines() {
  const makers = [
    ["dash", linked],
    ["bash", withOtherStat],
    ["busybox", installed],
  ] as const;
  const made = makers.map(async ([name, make]) => {
    const program = pathOf(name);
    if (program === undefined) return [];
    return [
      {
        name: make === withOtherStat ? `${name} with the stat of BSD` : name,
        /** A PATH whose `sh` is the shell of this kind. */
        path: await make(program),
      },
    ];
  });
  return (await Promise.all(made)).flat();
}

/** Creates a folder that every user can read. */
async function openFolder(): Promise<string> {
  const folder = await tempDir();
  await chmod(folder, 0o755);
  return folder;
}

/** Returns a PATH with the shell, and the utilities of this machine. */
async function linked(shell: string): Promise<string> {
  const folder = await openFolder();
  await symlink(shell, join(folder, "sh"));
  return `${folder}:${process.env.PATH ?? ""}`;
}

/** Returns a PATH with only the shell and the utilities of busybox. */
async function installed(busybox: string): Promise<string> {
  const folder = await openFolder();
  await execFileAsync(busybox, ["--install", "-s", folder]);
  return folder;
}

/** Returns a PATH with the utilities of this machine, but with a `stat` that behaves as on macOS. */
async function withOtherStat(shell: string): Promise<string> {
  const path = await linked(shell);
  const script = `#!/bin/sh
[ "$1 $2" = "-L -f" ] || { echo "stat: illegal option -- c" >&2; exit 1; }
case $3 in
"%Xp %z %d:%i|%Fm|%Fc") format="%f %s %d:%i|%.9Y|%.9Z" ;;
"%Lp %u:%g") format="%a %u:%g" ;;
*) echo "stat: $3: bad format" >&2; exit 1 ;;
esac
shift 3
exec ${(await findOnPath("stat", process.env.PATH)) ?? "stat"} -L -c "$format" "$@"
`;
  await writeFile(join(path.slice(0, path.indexOf(":")), "stat"), script, { mode: 0o755 });
  return path;
}
