/** Reads `MUX_HOOKS_TRUST`, which turns the check of trust off, and refuses it if the project may have set it (H31). */
import { posix } from "node:path";
import { MIB } from "@/common/limits";
import type { HookRuntime } from "@/node/runtime/HookRuntime";

const NAME = "MUX_HOOKS_TRUST";
const MAX_BYTES = 4 * MIB;

/** Files of a project from which agent hosts, their runtimes and terminals take variables. */
const SOURCES = [
  // Bun, and so opencode, reads all of these.
  ...["", ".development", ".production", ".test"].flatMap((kind) => [
    `.env${kind}`,
    `.env${kind}.local`,
  ]),
  ".envrc",
  ...["mise", ".mise", ".config/mise"].flatMap((name) =>
    ["", ".local", "/config", "/config.local"].map((end) => `${name}${end}.toml`)
  ),
  ...[".gemini", ".qwen"].map((folder) => `${folder}/.env`),
  ...[".claude", ".gemini", ".qwen", ".factory", ".vscode", ".cursor"].flatMap((folder) => [
    `${folder}/settings.json`,
    `${folder}/settings.local.json`,
  ]),
  ".codex/config.toml",
  ...["", ".opencode/"].flatMap((folder) => [`${folder}opencode.json`, `${folder}opencode.jsonc`]),
];

/** Returns whether the user's environment turns the check of trust off. */
export function skipsTrust(env: Readonly<NodeJS.ProcessEnv>): boolean {
  return env[NAME] === "always";
}

/** Returns why the variable does not count: a file of the project names it, so that the project may have set it. */
export async function refuseVariable(
  runtime: HookRuntime,
  dir: string
): Promise<string | undefined> {
  // A checkout on another machine sets no variable of this one.
  if (runtime.isRemote) return undefined;
  const reads = await Promise.all(
    SOURCES.map(async (name) => {
      const read = await runtime.readFile(posix.join(dir, name), { maxBytes: MAX_BYTES });
      const bytes = Buffer.from(read.unwrapOr(new Uint8Array()));
      const mayName = bytes.length >= MAX_BYTES || unescaped(bytes.toString()).includes(NAME);
      return mayName ? name : undefined;
    })
  );
  const file = reads.find((name) => name !== undefined);
  return file && `${NAME}=always does not count, because ${file} of the project names it`;
}

/** Replaces the escapes of JSON and TOML, with which a file could hide a name. */
function unescaped(text: string): string {
  return text.replaceAll(
    /\\(?:u([\da-fA-F]{4})|U([\da-fA-F]{8})|x([\da-fA-F]{2}))/g,
    (_, u?: string, long?: string, x?: string) =>
      String.fromCharCode(parseInt(u ?? long ?? x ?? "", 16))
  );
}
