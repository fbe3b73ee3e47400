/**
 * Reads the dependencies between the packages of a workspace of npm, pnpm or yarn, so that a change in a package also
 * runs the gates of those that depend on it (G34). Reads nothing if the project is on another machine, or if no entry
 * point can depend on a package.
 */
import { realpath } from "node:fs/promises";
import { posix, sep } from "node:path";
import { ok, err, type Result } from "neverthrow";
import { describeError } from "@/common/errors";
import { isJsonObject, objectOf, parseJson } from "@/common/json";
import type { GitContext } from "@/node/services/gauntlet/change/git/GitContext";
import { runGit } from "@/node/services/gauntlet/change/git/runGit";
import { readJson } from "@/node/runtime/fileContents";
import { MIB } from "@/common/limits";
import type { PackageGraph } from "@/node/services/gauntlet/domain/candidateJobs";
import { normalFolder } from "@/node/services/gauntlet/domain/entryPointFolders";
import type { EntryPoint } from "@/node/services/gauntlet/domain/gate";
import type { HookRuntime } from "@/node/runtime/HookRuntime";

const MAX_FORMER = 50;
const NONE: PackageGraph = new Map();
const FIELDS = [
  "dependencies",
  "devDependencies",
  "peerDependencies",
  "optionalDependencies",
] as const;

/**
 * Returns the graph, or an error if the workspace cannot be read. It is empty if the project is on another machine or is
 * not the root of a workspace, or if every entry point has `depends_on` or is the root; then nothing is read.
 */
export async function packageGraph(
  runtime: HookRuntime,
  context: Pick<GitContext, "projectDir" | "signal">,
  entryPoints: readonly EntryPoint[],
  change: Change
): Promise<Result<PackageGraph, string>> {
  const { projectDir } = context;
  const isNeeded = entryPoints.some(
    ({ path, dependsOn }) => dependsOn === undefined && normalFolder(path) !== "."
  );
  if (runtime.isRemote || !isNeeded || !(await isWorkspace(runtime, projectDir))) return ok(NONE);
  try {
    const { getPackages } = await import("@manypkg/get-packages");
    const { packages, rootDir } = await getPackages(projectDir);
    if ((await realpath(rootDir)) !== (await realpath(projectDir))) return ok(NONE);
    return ok(graphOf(packages, await formerFolders(runtime, context, change)));
  } catch (thrown) {
    return err(describeError(thrown));
  }
}

interface Change {
  /** The ID of the tree or commit with which the work is compared. */
  readonly from: string;
  /** The files that differ. */
  readonly changed: readonly string[];
}

/** Returns the folders of changed packages by their names before, on which others may still depend. */
async function formerFolders(
  runtime: HookRuntime,
  { projectDir: cwd, signal }: Pick<GitContext, "projectDir" | "signal">,
  { from, changed }: Change
): Promise<ReadonlyMap<string, string>> {
  const files = changed
    .filter((path) => path.endsWith("/package.json") && !path.includes("\n"))
    .slice(0, MAX_FORMER);
  if (files.length === 0) return new Map();
  const args = ["cat-file", `--batch=${from}:`];
  const stdin = files.map((path) => `${from}:./${path}\n`).join("");
  const output = await runGit(runtime, { cwd, args, stdin, keepBytes: 16 * MIB, signal });
  // This line is before each text, or in the place of a file that does not exist.
  const texts = output.unwrapOr("").split(new RegExp(`^${from}:.*\n`, "m"));
  const named = texts.slice(1).map((text, i) => {
    const { name } = objectOf(parseJson(text).unwrapOr(undefined));
    return typeof name === "string" ? [[name, posix.dirname(files[i] ?? "")] as const] : [];
  });
  return new Map(named.flat());
}

async function isWorkspace(runtime: HookRuntime, projectDir: string): Promise<boolean> {
  const [stat] = await runtime.stat([posix.join(projectDir, "pnpm-workspace.yaml")]);
  if (stat?.kind === "file") return true;
  const json = await readJson(runtime, posix.join(projectDir, "package.json"), { maxBytes: MIB });
  return isJsonObject(json) && "workspaces" in json;
}

interface Package {
  readonly packageJson: { readonly name: string } & Partial<
    Record<(typeof FIELDS)[number], Readonly<Record<string, unknown>>>
  >;
  readonly relativeDir: string;
}

function graphOf(packages: readonly Package[], former: ReadonlyMap<string, string>): PackageGraph {
  const folderOf = ({ relativeDir }: Package): string => relativeDir.split(sep).join("/");
  const now = packages.map((one) => [one.packageJson.name, folderOf(one)] as const);
  const folders = new Map([...former, ...now]);
  return new Map(
    packages.map((one) => {
      const names = FIELDS.flatMap((field) => Object.keys(one.packageJson[field] ?? {}));
      return [folderOf(one), [...new Set(names.flatMap((name) => folders.get(name) ?? []))]];
    })
  );
}
