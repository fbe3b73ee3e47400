/** How the package manager of a project runs scripts and installed programs. Never by a download. */
import type { ProjectFolder } from "@/cli/gauntlet/init/detect/ProjectFolder";

export interface PackageManager {
  readonly name: string;
  /** Installs what the lock file names, and fails if that does not match package.json. */
  readonly install: string;
  readonly run: (script: string) => string;
  /** Returns a command that runs a program of an installed package. */
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
const pnpm: PackageManager = {
  name: "pnpm",
  install: "corepack enable && pnpm install --frozen-lockfile",
  run: (script) => `pnpm run ${script}`,
  exec: (line) => `pnpm exec ${line}`,
  lockFiles: ["pnpm-lock.yaml", "pnpm-workspace.yaml"],
};
const yarn: PackageManager = {
  name: "yarn",
  install: "corepack enable && yarn install --immutable",
  run: (script) => `yarn run ${script}`,
  exec: (line) => `yarn run ${line}`,
  lockFiles: ["yarn.lock", ".yarnrc.yml"],
};
const bun: PackageManager = {
  name: "bun",
  install: "npm install --global bun && bun install --frozen-lockfile",
  run: (script) => `bun run ${script}`,
  exec: (line) => `bunx --no-install ${line}`,
  lockFiles: ["bun.lock", "bun.lockb"],
};
const MANAGERS: readonly PackageManager[] = [npm, pnpm, yarn, bun];

/** Returns the package manager of the lock file or of `packageManager` in package.json, else npm. */
export async function findPackageManager(project: ProjectFolder): Promise<PackageManager> {
  const { detect } = await import("package-manager-detector/detect");
  const found = await detect({ cwd: project.dir, stopDir: project.dir }).catch(() => null);
  return MANAGERS.find(({ name }) => name === found?.name) ?? npm;
}
