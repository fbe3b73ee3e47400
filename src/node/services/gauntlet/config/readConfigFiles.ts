/**
 * Reads the files in `.gauntlet/` with their hashes for `loadConfig`, up to limits of number and size, and reports
 * those that cannot be read or are ignored. Also reads a single file, such as the user's settings for all projects.
 */
import { posix } from "node:path";
import { clip, plural } from "@/common/safeText";
import { sha256 } from "@/common/hash";
import { KIB, MIB } from "@/common/limits";
import type { DiagnosticList } from "@/common/source/DiagnosticList";
import { YAML, SourceFile } from "@/common/source/SourceFile";
import type { Files } from "@/node/runtime/HookRuntime";
import * as configPaths from "@/node/services/gauntlet/config/configPaths";

/** The file operations that reading a configuration needs. */
export type ConfigReads = Pick<Files, "stat" | "list" | "readFile">;

const MAX_FILE_BYTES = 256 * KIB;
const MAX_TOTAL_BYTES = MIB;
const MAX_GATE_FILES = 500;

/** The files of a configuration by kind. */
export interface ConfigFiles {
  readonly config?: SourceFile;
  /** The user's own file, if it exists and was requested. */
  readonly local?: SourceFile;
  readonly checks: readonly GateFile[];
  readonly reviews: readonly GateFile[];
  /** SHA-256 of each file, by its path relative to the project. */
  readonly hashes: ReadonlyMap<string, string>;
}

export interface GateFile {
  /** The file name without its extension. */
  readonly name: string;
  readonly file: string;
  /** Absent if the file could not be read; the reason is in the reported problems. */
  readonly source?: SourceFile;
}

/** Reads every file of a configuration. Adds to `problems` what cannot be read. */
export async function readConfigFiles(
  files: ConfigReads,
  projectDir: string,
  problems: DiagnosticList,
  { withLocal = false }: { readonly withLocal?: boolean } = {}
): Promise<ConfigFiles> {
  const folder = posix.join(projectDir, configPaths.CONFIG_FOLDER);
  const folders = [posix.join(folder, "checks"), posix.join(folder, "reviews")] as const;
  const local = posix.join(projectDir, configPaths.LOCAL_CONFIG_FILE);
  const [listedChecks, listedReviews, [localStat]] = await Promise.all([
    files.list(folders[0]),
    files.list(folders[1]),
    withLocal ? files.stat([local]) : [],
  ]);
  const hasLocal = localStat !== undefined && localStat.kind !== "missing";
  const checks = pickGates(listedChecks, folders[0], ".yml", problems);
  const reviews = pickGates(listedReviews, folders[1], ".md", problems);
  const own = hasLocal ? [local] : [];
  const paths = [posix.join(projectDir, configPaths.CONFIG_FILE), ...checks, ...reviews, ...own];
  const mayExceed = paths.length * MAX_FILE_BYTES > MAX_TOTAL_BYTES;
  const sizes = (mayExceed ? await files.stat(paths) : []).map((stat) =>
    stat.kind === "file" ? Math.min(stat.size, MAX_FILE_BYTES) : 0
  );
  if (sizes.reduce((sum, size) => sum + size, 0) > MAX_TOTAL_BYTES) {
    problems.addFile(
      "error",
      folder,
      `its files together are larger than ${MAX_TOTAL_BYTES / MIB} MiB, so none of them is read`
    );
    return { checks: [], reviews: [], hashes: new Map() };
  }
  const contents = await Promise.all(paths.map((path) => readBytes(files, path)));
  const hashes = new Map<string, string>();
  const all = contents.map((content, i): GateFile => {
    const file = paths[i] ?? "";
    hashes.set(posix.relative(projectDir, file), sha256(content));
    const name = posix.basename(file, posix.extname(file));
    return { name, file, source: decode(file, content, problems) };
  });
  return {
    config: all[0]?.source,
    local: hasLocal ? all.at(-1)?.source : undefined,
    checks: all.slice(1, 1 + checks.length),
    reviews: all.slice(1 + checks.length, all.length - own.length),
    hashes,
  };
}

/** Returns a digest of the names and the bytes of all files of a configuration. */
export function digestOf({ hashes }: Pick<ConfigFiles, "hashes">): string {
  return sha256(JSON.stringify([...hashes]));
}

/** Reads a single file, such as the user's settings for all projects. */
export async function readSource(
  files: ConfigReads,
  path: string,
  problems: DiagnosticList
): Promise<SourceFile | undefined> {
  return decode(path, await readBytes(files, path), problems);
}

/** Returns the paths of the gate files in a folder, sorted by name, or none if the folder does not exist. */
function pickGates(
  listed: Awaited<ReturnType<ConfigReads["list"]>>,
  folder: string,
  extension: string,
  problems: DiagnosticList
): string[] {
  if (listed.isErr()) {
    const { code, message } = listed.error;
    if (code !== "ENOENT") problems.addFile("error", folder, `it cannot be listed: ${message}`);
    return [];
  }
  const names = [...listed.value].filter((name) => !name.startsWith(".")).sort();
  const read = names.filter((name) => name.endsWith(extension));
  for (const name of names) {
    if (!/\.(ya?ml|md)$/i.test(name) || name.endsWith(extension)) continue;
    problems.addFile(
      "warning",
      posix.join(folder, name),
      `it is ignored, because only files whose name ends in ${extension} are read from this folder`
    );
  }
  if (read.length > MAX_GATE_FILES) {
    problems.addFile(
      "error",
      folder,
      `it contains ${plural(read.length, "gate")}, but at most ${MAX_GATE_FILES} can be read`
    );
  }
  return read.slice(0, MAX_GATE_FILES).map((name) => posix.join(folder, name));
}

/** Returns the bytes, or a message that explains why there are none. */
async function readBytes(files: ConfigReads, path: string): Promise<Uint8Array | string> {
  const read = await files.readFile(path, { maxBytes: MAX_FILE_BYTES + 1 });
  if (read.isErr()) return `it cannot be read: ${clip(read.error.message, 500)}`;
  if (read.value.length <= MAX_FILE_BYTES) return read.value;
  return `it is larger than ${MAX_FILE_BYTES / KIB} KiB, the maximum size of a configuration file`;
}

function decode(
  path: string,
  content: Uint8Array | string,
  problems: DiagnosticList
): SourceFile | undefined {
  if (typeof content === "string") {
    problems.addFile("error", path, content);
    return undefined;
  }
  try {
    return new SourceFile(path, new TextDecoder("utf-8", { fatal: true }).decode(content), YAML);
  } catch {
    problems.addFile("error", path, "it is not UTF-8; save it with that encoding");
    return undefined;
  }
}
