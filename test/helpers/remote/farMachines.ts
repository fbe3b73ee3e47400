/** The kinds of machine that may be at the other end of a connection, each as a PATH of this one. */
import { chmod, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findOnPath } from "@/node/runtime/process/findOnPath";
import { execFileAsync } from "@test/helpers/process/processes";
import { pathOf } from "@scripts/programs.mjs";
import { tempDir } from "@test/helpers/tempDir";

export interface FarMachine {
  readonly name: string;
  /** Its `sh` is the shell in question. */
  readonly path: string;
}

/** One with each shell that this machine has. */
export async function farMachines(): Promise<FarMachine[]> {
  const makers = [
    ["dash", linked],
    ["bash", linked],
    ["busybox", installed],
    ["sh", withOtherStat],
  ] as const;
  const made = makers.map(async ([name, make]) => {
    const program = pathOf(name);
    if (program === undefined) return [];
    return [
      {
        name: make === withOtherStat ? "sh with the stat of BSD" : name,
        path: await make(program),
      },
    ];
  });
  return (await Promise.all(made)).flat();
}

/** Of use to any user. */
async function openFolder(): Promise<string> {
  const folder = await tempDir();
  await chmod(folder, 0o755);
  return folder;
}

/** The shell, with the utilities of this machine. */
async function linked(shell: string): Promise<string> {
  const folder = await openFolder();
  await symlink(shell, join(folder, "sh"));
  return `${folder}:${process.env.PATH ?? ""}`;
}

/** The shell and the utilities of busybox, and no others. */
async function installed(busybox: string): Promise<string> {
  const folder = await openFolder();
  await execFileAsync(busybox, ["--install", "-s", folder]);
  return folder;
}

/** The utilities of this machine, but for a `stat` that takes `-f` and gives what macOS gives. */
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
