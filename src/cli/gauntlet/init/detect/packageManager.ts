/**
 * Reads the package.json of a folder, and finds the package manager of a project, with its commands for scripts and
 * installed programs.
 */
import { objectAt, textsOf, type ProjectFolder } from "@/cli/gauntlet/init/detect/ProjectFolder";

export interface PackageJson {
  /** Commands by name. */
  readonly scripts: ReadonlyMap<string, string>;
  /** The names of all dependencies, development dependencies included. */
  readonly dependencies: ReadonlySet<string>;
  /** Globs for the folders of workspace members. */
  readonly workspaces: readonly string[];
}

/** Reads the package.json of a folder, which is relative to the project. Every field of a missing file is empty. */
export async function readPackageJson(project: ProjectFolder, folder = "."): Promise<PackageJson> {
  const json = await project.data(folder === "." ? "package.json" : `${folder}/package.json`);
  const scripts = Object.entries(objectAt(json, "scripts"));
  const { workspaces } = json;
  return {
    scripts: new Map(
      scripts.filter((entry): entry is [string, string] => typeof entry[1] === "string")
    ),
    dependencies: new Set(
      ["dependencies", "devDependencies"].flatMap((key) => Object.keys(objectAt(json, key)))
    ),
    workspaces: textsOf(
      Array.isArray(workspaces) ? workspaces : objectAt(json, "workspaces").packages
    ),
  };
}

export interface PackageManager {
  readonly name: string;
  /** Installs what the lock file names, and fails if that does not match package.json. */
  readonly install: string;
  readonly run: (script: string) => string;
  /** Returns a command that runs a program of an installed package, and never downloads it. */
  readonly exec: (line: string) => string;
  /** Files on which every workspace member depends. */
  readonly lockFiles: readonly string[];
}

const npm: PackageManager = {
  name: "npm",
  install: "npm ci",
  run: (script) => (script === "test" ? "npm test" : `npm run ${script}`),
  exec: (line) => `npx --no-install ${line}`,
  lockFiles: ["package-lock.json", "npm-shrinkwrap.json"],
};
const MANAGERS: readonly PackageManager[] = [
  npm,
  {
    name: "pnpm",
    install: "corepack enable && pnpm install --frozen-lockfile",
    run: (script) => `pnpm run ${script}`,
    exec: (line) => `pnpm exec ${line}`,
    lockFiles: ["pnpm-lock.yaml", "pnpm-workspace.yaml"],
  },
  {
    name: "yarn",
    install: "corepack enable && yarn install --immutable",
    run: (script) => `yarn run ${script}`,
    exec: (line) => `yarn run ${line}`,
    lockFiles: ["yarn.lock", ".yarnrc.yml"],
  },
  {
    name: "bun",
    install: "npm install --global bun && bun install --frozen-lockfile",
    run: (script) => `bun run ${script}`,
    exec: (line) => `bunx --no-install ${line}`,
    lockFiles: ["bun.lock", "bun.lockb"],
  },
];

/** Returns the package manager of the lock file or of `packageManager` in package.json, else npm. */
export async function findPackageManager({ dir }: ProjectFolder): Promise<PackageManager> {
  const { detect } = await import("package-manager-detector/detect");
  const found = await detect({ cwd: dir, stopDir: dir }).catch(() => null);
  return MANAGERS.find(({ name }) => name === found?.name) ?? npm;
}
