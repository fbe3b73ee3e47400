import { ProjectFolder } from "@/cli/gauntlet/init/detect/ProjectFolder";
import { proposeChecks, type Proposals } from "@/cli/gauntlet/init/detect/proposeChecks";
import { LocalRuntime } from "@/node/runtime/local/LocalRuntime";
import { folderWith } from "@test/helpers/tempDir";

export type Tree = Readonly<Record<string, string>>;

/** Returns the `package.json` of a project with these scripts. */
export function packageJson(scripts: Tree, more: object = {}): Tree {
  return { "package.json": JSON.stringify({ scripts, ...more }) };
}

/** Returns what `init` would propose for a project with these files. */
export async function propose(tree: Tree): Promise<Proposals> {
  const dir = await folderWith(tree, 0o755);
  return await proposeChecks(await ProjectFolder.open(new LocalRuntime(), dir));
}

/** Returns `name: command` of each check, with `?` after the name if it is not preselected. */
export async function commands(tree: Tree): Promise<string[]> {
  const { checks } = await propose(tree);
  return checks.map(
    ({ name, command, isPreselected }) => `${name}${isPreselected ? "" : "?"}: ${command}`
  );
}
