import { objectAt, textsOf, type ProjectFolder } from "@/cli/gauntlet/init/detect/ProjectFolder";

export interface PackageJson {
  /** Commands by name. */
  readonly scripts: ReadonlyMap<string, string>;
  /** The names of all dependencies, development dependencies included. */
  readonly dependencies: ReadonlySet<string>;
  /** Globs for the folders of workspace members. */
  readonly workspaces: readonly string[];
}

/** @param folder relative to the project; every field of a missing file is empty */
export async function readPackageJson(project: ProjectFolder, folder = "."): Promise<PackageJson> {
  const path = folder === "." ? "package.json" : `${folder}/package.json`;
  const json = await project.json(path);
  const scripts = Object.entries(objectAt(json, "scripts")).filter(isTextEntry);
  const { workspaces } = json;
  return {
    scripts: new Map(scripts),
    dependencies: new Set(
      ["dependencies", "devDependencies"].flatMap((key) => Object.keys(objectAt(json, key)))
    ),
    workspaces: Array.isArray(workspaces)
      ? textsOf(workspaces)
      : textsOf(objectAt(json, "workspaces").packages),
  };
}

function isTextEntry(entry: [string, unknown]): entry is [string, string] {
  return typeof entry[1] === "string";
}
