/** Records the gauntlet's configuration at the start of a user's turn (G20d). The command `turn-start` loads this. */
import { posix } from "node:path";
import { isJsonObject } from "@/common/json";
import { KIB } from "@/common/limits";
import type { Files } from "@/node/runtime/HookRuntime";
import { CONFIG_FILE, CONFIG_FOLDER } from "@/node/services/gauntlet/config/configPaths";
import { readTurnFile, writeTurnFile } from "@/node/services/gauntlet/turn/turnFiles";

/** The texts of the files by their path relative to the project, in the order in which a configuration is read. */
export type RecordedConfig = Readonly<Record<string, string>>;

/** A larger configuration is not recorded. Definitions are then compared with those of the last run. */
const MAX_BYTES = 256 * KIB;
const MAX_FILES = 200;

const FOLDERS = [
  { name: "checks", extension: ".yml" },
  { name: "reviews", extension: ".md" },
];

/** Records that the team shares (G44). */
const KNOWN = { name: "known", extension: ".jsonl" };

export async function recordTurnGates(
  files: Files,
  gitDir: string,
  key: string,
  projectDir: string
): Promise<void> {
  const recorded = (await readTexts(files, projectDir)) ?? null;
  await writeTurnFile(files, gitDir, "gates", key, { projectDir, files: recorded });
}

/** Returns undefined if no configuration is recorded for the session and project. */
export async function readTurnGates(
  files: Pick<Files, "readFile">,
  gitDir: string,
  key: string,
  projectDir: string
): Promise<RecordedConfig | undefined> {
  const read = await readTurnFile(files, gitDir, "gates", key);
  if (read?.projectDir !== projectDir || !isJsonObject(read.files)) return undefined;
  const texts = Object.entries(read.files);
  return texts.every((entry): entry is [string, string] => typeof entry[1] === "string")
    ? Object.fromEntries(texts)
    : undefined;
}

/** Returns the project whose configuration `turn-start` recorded for the session. */
export async function recordedProject(
  files: Pick<Files, "readFile">,
  gitDir: string,
  key: string
): Promise<string | undefined> {
  const read = await readTurnFile(files, gitDir, "gates", key);
  return typeof read?.projectDir === "string" ? read.projectDir : undefined;
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
    ...[CONFIG_FOLDER, CONFIG_FILE, ...listed.flat()],
    ...folders.map(({ name }) => posix.join(CONFIG_FOLDER, name)),
  ];
  const stats = await files.stat(names.map((name) => posix.join(projectDir, name)));
  return stats.some((stat) => "ctimeMs" in stat && stat.ctimeMs >= sinceMs);
}

async function readTexts(files: Files, projectDir: string): Promise<RecordedConfig | undefined> {
  const listed = await Promise.all(FOLDERS.map((folder) => namesIn(files, projectDir, folder)));
  const names = [CONFIG_FILE, ...listed.flat()];
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
