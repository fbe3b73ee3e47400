/**
 * Makes the paths in a check's reports and output relative to the project (G37). Looks for files that a tool names only
 * within a package of a JVM language or of Go. Also finds out which files are inside the project, without symbolic
 * links.
 */
import { tryOr } from "@/common/errors";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";
import type { HookRuntime } from "@/node/runtime/HookRuntime";
import type { RawFinding } from "@/node/services/gauntlet/gates/findings/formats/readerBase";

export interface Folders {
  readonly projectDir: string;
  /** The absolute folder in which the command ran. */
  readonly folder: string;
}

const JVM_SOURCES = ["src/test/java", "src/main/java"];
const KOTLIN_SOURCES = ["src/test/kotlin", "src/main/kotlin"];

/** The folders of Maven and Gradle for the sources of a language. A stack trace has only a path in the packages. */
const SOURCE_FOLDERS: Readonly<Record<string, readonly string[]>> = {
  java: JVM_SOURCES,
  kt: [...KOTLIN_SOURCES, ...JVM_SOURCES],
  groovy: ["src/test/groovy", "src/main/groovy"],
  scala: ["src/test/scala", "src/main/scala"],
};

type Named = Pick<RawFinding, "file" | "goPackage">;

/** Further paths are resolved without looking at the files. */
const MAX_EXAMINED = 1_000;
const MAX_PATH_CHARS = 1_024;
/** The number of the last folders of a package in which its files are looked for. */
const MAX_PACKAGE_FOLDERS = 20;

/** Returns the path of each finding: relative to the project, or absolute if it is outside. */
export async function resolvePaths(
  runtime: Pick<HookRuntime, "stat" | "exec">,
  folders: Folders,
  found: readonly Named[]
): Promise<(string | undefined)[]> {
  const options = new Map<string, readonly string[]>();
  let examined = 0;
  for (const named of found) {
    const key = keyOf(named);
    if (named.file === undefined || options.has(key)) continue;
    const paths = candidates(named, folders);
    if (paths.length > 1) examined++;
    options.set(key, examined > MAX_EXAMINED ? paths.slice(0, 1) : paths);
  }
  const { projectDir } = folders;
  const hasOthers = [...options.values()].some(([path = ""]) => !isInside(path, projectDir));
  const real = hasOthers ? await realFolders(runtime, projectDir, []) : undefined;
  const chosen = await chooseExisting(runtime, options);
  return found.map((named) => {
    const path = chosen.get(keyOf(named));
    return path === undefined ? undefined : relativeTo(path, [projectDir, real?.root]);
  });
}

function keyOf({ file = "", goPackage = "" }: Named): string {
  return `${goPackage}\n${file}`;
}

/** Returns the absolute paths that a text may mean, the most likely one first. */
function candidates({ file = "", goPackage }: Named, folders: Folders): string[] {
  const path = plainPath(file);
  if (path.length > MAX_PATH_CHARS || path.includes("\0")) return [];
  if (path.startsWith("/") || /^[A-Za-z]:\//.test(path)) return [posix.normalize(path)];
  const { projectDir, folder } = folders;
  const parts = goPackage?.slice(-MAX_PATH_CHARS).split("/").slice(-MAX_PACKAGE_FOLDERS) ?? [];
  const packages = parts.map((_, i) => parts.slice(i).join("/"));
  const roots = parentsOf(folder, projectDir);
  const [, extension] = /\.(java|kt|groovy|scala)$/.exec(path) ?? [];
  const sources = extension === undefined ? [] : (SOURCE_FOLDERS[extension] ?? []);
  return [
    ...roots.flatMap((root) => sources.map((source) => posix.join(root, source, path))),
    ...roots.flatMap((root) => packages.map((inner) => posix.join(root, inner, path))),
    ...roots.map((root) => posix.join(root, path)),
  ];
}

/** Returns a folder and those that contain it, up to the project: Cargo prints paths from the root of its workspace. */
function parentsOf(folder: string, projectDir: string): string[] {
  if (folder === projectDir || !isInside(folder, projectDir)) return [projectDir];
  return [folder, ...parentsOf(posix.dirname(folder), projectDir)];
}

function plainPath(file: string): string {
  const path = file.startsWith("file://")
    ? tryOr(() => fileURLToPath(file), file.slice("file://".length))
    : file;
  const isWindows = /^[A-Za-z]:\\/.test(path) || (path.includes("\\") && !path.includes("/"));
  return isWindows ? path.replaceAll("\\", "/") : path;
}

async function chooseExisting(
  runtime: Pick<HookRuntime, "stat">,
  options: ReadonlyMap<string, readonly string[]>
): Promise<Map<string, string>> {
  const examined = [...options.values()].filter((paths) => paths.length > 1);
  const paths = [...new Set(examined.flat())];
  const stats = paths.length === 0 ? [] : await runtime.stat(paths);
  const existing = new Set(paths.filter((_, i) => stats[i]?.kind === "file"));
  const chosen = new Map<string, string>();
  for (const [key, tried] of options) {
    const path = tried.find((one) => existing.has(one)) ?? tried.at(0);
    if (path !== undefined) chosen.set(key, path);
  }
  return chosen;
}

function relativeTo(path: string, roots: readonly (string | undefined)[]): string {
  const root = roots.find((one) => one !== undefined && one !== "" && isInside(path, one));
  return root === undefined ? path : path.slice(root === "/" ? 1 : root.length + 1) || ".";
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}

/** Prints the real path of a folder, then for each file whether it is inside and not a symbolic link. */
const SCRIPT = `CDPATH=
root=$(cd -P -- "$1" && pwd && echo .) || exit 1
root=\${root%??}
shift
printf '%s\\n' "$root"
for file do
  folder=$(cd -P -- "\${file%/*}/" && pwd && echo .) || folder=
  case "\${folder%??}/" in
    "\${root%/}"/*) if [ -L "$file" ]; then echo outside; else echo inside; fi ;;
    *) echo outside ;;
  esac
done`;

const TIMEOUT_MS = 10_000;

export interface RealFolders {
  /** The project's folder without symbolic links. */
  readonly root: string;
  /** The files that are inside the project, and not symbolic links. */
  readonly inside: ReadonlySet<string>;
}

/** Finds out which of the absolute paths are inside the project. Returns undefined if this failed on the machine. */
export async function realFolders(
  runtime: Pick<HookRuntime, "exec">,
  projectDir: string,
  paths: readonly string[]
): Promise<RealFolders | undefined> {
  const { end, stdout } = await runtime.exec({
    command: { file: "sh", args: ["-c", SCRIPT, "sh", projectDir, ...paths] },
    cwd: "/",
    timeoutMs: TIMEOUT_MS,
  });
  if (end.kind !== "exited" || end.code !== 0) return undefined;
  // The path may contain line breaks, the answers do not.
  const lines = stdout.text.trimEnd().split("\n");
  const answers = paths.length === 0 ? [] : lines.splice(-paths.length);
  const inside = paths.filter((_, i) => answers[i] === "inside");
  return { root: lines.join("\n"), inside: new Set(inside) };
}
