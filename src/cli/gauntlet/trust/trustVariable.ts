/** The variable that lets everything run (G24a). */
import { posix } from "node:path";
import { KIB } from "@/common/limits";
import type { Files } from "@/node/runtime/HookRuntime";

const NAME = "MUX_HOOKS_TRUST";
const MAX_BYTES = 256 * KIB;

/** Files of a project from which agent hosts take variables. */
const SOURCES = [
  ".env",
  ".claude/settings.json",
  ".claude/settings.local.json",
  ...[".gemini", ".qwen"].flatMap((folder) => [`${folder}/.env`, `${folder}/settings.json`]),
  ".codex/config.toml",
  "opencode.json",
];

export function skipsTrust(env: Readonly<NodeJS.ProcessEnv>): boolean {
  return env[NAME] === "always";
}

/** Returns the file of the project that names the variable, so that the project may have set it. */
export async function namedInProject(files: Files, dir: string): Promise<string | undefined> {
  const reads = await Promise.all(
    SOURCES.map(async (name) => {
      const read = await files.readFile(posix.join(dir, name), { maxBytes: MAX_BYTES });
      return read.isOk() && Buffer.from(read.value).includes(NAME) ? name : undefined;
    })
  );
  return reads.find((name) => name !== undefined);
}
