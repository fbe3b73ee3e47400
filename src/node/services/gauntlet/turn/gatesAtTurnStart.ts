/**
 * Reads the configuration of a project and its files that define scripts (package.json, makefiles and others), which
 * `turn-start` records at the start of a user's turn, so that a stop notices changes; and parses that record (G20d).
 * Also checks whether a file of `.gauntlet/` changed since a time.
 */
import { posix } from "node:path";
import { isJsonObject, objectOf, type JsonObject } from "@/common/json";
import { KIB } from "@/common/limits";
import type { Files } from "@/node/runtime/HookRuntime";
import {
  CONFIG_FILE,
  CONFIG_FOLDER,
  LOCAL_CONFIG_FILE,
} from "@/node/services/gauntlet/config/configPaths";
import { SCRIPT_FILES } from "@/node/services/gauntlet/domain/commands/scriptFiles";

/** The texts of the files by their path relative to the project, in the order in which a configuration is read. */
export type RecordedConfig = Readonly<Record<string, string>>;

/**
 * The texts of the files with scripts, by folder relative to the project and by name. Null for a file that was not
 * read. A file that is not in its folder did not exist.
 */
export type RecordedScripts = Readonly<Record<string, Readonly<Record<string, string | null>>>>;

/** A larger configuration is not recorded. Definitions are then compared with those of the last run. */
const MAX_BYTES = 256 * KIB;
const MAX_FILES = 200;
const MAX_FOLDERS = 50;

const FOLDERS = [
  { name: "checks", extension: ".yml" },
  { name: "reviews", extension: ".md" },
];

/** Records that the team shares (G44). */
const KNOWN = { name: "known", extension: ".jsonl" };

/** The record of a project's gates at the start of a turn. */
export interface TurnGates {
  /** Absolute. */
  readonly projectDir?: string;
  /** Absent if there were too many, or if one could not be read. */
  readonly files?: RecordedConfig;
  readonly scripts: RecordedScripts;
}

/** Returns the record of the project's gates as they are now. */
export async function gatesAt(files: Files, projectDir: string): Promise<TurnGates> {
  const texts = await readTexts(files, projectDir);
  const scripts = await readScripts(files, projectDir, texts ?? {});
  return { projectDir, files: texts, scripts };
}

/** Parses a record. A field of another type counts as missing. */
export function gatesOf({ projectDir, files, scripts }: JsonObject): TurnGates {
  const isText = (value: unknown): value is string => typeof value === "string";
  const read = isJsonObject(files) && Object.values(files).every(isText) ? files : undefined;
  const folders = Object.entries(objectOf(scripts)).filter(([, texts]) => isJsonObject(texts));
  const textsOf = (texts: object): [string, string | null][] =>
    Object.entries(texts).map(([name, text]) => [name, isText(text) ? text : null]);
  return {
    projectDir: isText(projectDir) ? projectDir : undefined,
    files: read as RecordedConfig | undefined,
    scripts: Object.fromEntries(
      folders.map(([folder, texts]) => [folder, Object.fromEntries(textsOf(texts as object))])
    ),
  };
}

/** Returns whether a file of `.gauntlet/` changed since a time, in milliseconds since the epoch. */
export async function haveGatesChanged(
  files: Files,
  projectDir: string,
  sinceMs: number
): Promise<boolean> {
  const folders = [...FOLDERS, KNOWN];
  const listed = await Promise.all(folders.map((folder) => namesIn(files, projectDir, folder)));
  const names = [
    ...[CONFIG_FOLDER, CONFIG_FILE, LOCAL_CONFIG_FILE, ...listed.flat()],
    ...folders.map(({ name }) => posix.join(CONFIG_FOLDER, name)),
  ];
  const stats = await files.stat(names.map((name) => posix.join(projectDir, name)));
  return stats.some((stat) => "ctimeMs" in stat && stat.ctimeMs >= sinceMs);
}

async function readTexts(files: Files, projectDir: string): Promise<RecordedConfig | undefined> {
  const listed = await Promise.all(FOLDERS.map((folder) => namesIn(files, projectDir, folder)));
  const [local] = await files.stat([posix.join(projectDir, LOCAL_CONFIG_FILE)]);
  const own = local?.kind === "file" ? [LOCAL_CONFIG_FILE] : [];
  const names = [CONFIG_FILE, ...listed.flat(), ...own];
  if (names.length > MAX_FILES) return undefined;
  const texts: Record<string, string> = {};
  let left = MAX_BYTES;
  for (const name of names) {
    const read = await files.readFile(posix.join(projectDir, name), { maxBytes: left + 1 });
    if (read.isErr() || read.value.length > left) return undefined;
    left -= read.value.length;
    texts[name] = new TextDecoder("utf-8", { ignoreBOM: true }).decode(read.value);
  }
  return texts;
}

/** Reads the files with scripts in the project's folder and in those that the configuration names. */
async function readScripts(
  files: Files,
  projectDir: string,
  config: RecordedConfig
): Promise<RecordedScripts> {
  const named = Object.values(config).flatMap((text) =>
    [...text.matchAll(FOLDER)].map(([, path = ""]) => posix.normalize(path).replace(/\/$/, ""))
  );
  const folders = [...new Set([".", ...named])].filter((path) => !path.startsWith(".."));
  const recorded: Record<string, Record<string, string | null>> = {};
  let left = MAX_BYTES;
  for (const folder of folders.slice(0, MAX_FOLDERS)) {
    const dir = posix.join(projectDir, folder);
    const listed = await files.list(dir);
    if (listed.isErr()) continue;
    const texts: Record<string, string | null> = {};
    for (const name of listed.value.filter((one) => SCRIPT_NAMES.has(one))) {
      const read = await files.readFile(posix.join(dir, name), { maxBytes: left + 1 });
      const bytes = read.isOk() && read.value.length <= left ? read.value : undefined;
      left -= bytes?.length ?? 0;
      texts[name] = bytes === undefined ? null : new TextDecoder().decode(bytes);
    }
    recorded[folder] = texts;
  }
  return recorded;
}

const SCRIPT_NAMES = new Set<string>(Object.values(SCRIPT_FILES).flat());
/** Matches a plain folder. This module does not load a parser of YAML. */
const FOLDER = /\b(?:path|working_directory):\s*["']?([\w@][\w.@/-]*)(?=["'\s,}]|$)/gm;

async function namesIn(
  files: Files,
  projectDir: string,
  { name: folder, extension }: (typeof FOLDERS)[number]
): Promise<string[]> {
  const names = (await files.list(posix.join(projectDir, CONFIG_FOLDER, folder))).unwrapOr([]);
  return [...names]
    .filter((name) => !name.startsWith(".") && name.endsWith(extension))
    .sort()
    .map((name) => posix.join(CONFIG_FOLDER, folder, name));
}
