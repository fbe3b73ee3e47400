/** Finds hooks that read Claude Code's transcript, but do not select its dialect (H46). */
import type { Diagnostic } from "@/common/diagnostics";
import { MAX_SEARCHED_SCRIPT_BYTES } from "@/common/limits";
import type { PresentStat } from "@/node/runtime/HookRuntime";
import type { CommandHandler } from "@/node/services/hooks/contract/handlerTypes";
import type { ConfiguredHook } from "@/node/services/hooks/contract/types";
import type { MachineView } from "@/node/services/hooks/settings/workspace";
import { invokedPrograms, resolveWord } from "@/node/services/hooks/shell/invokedPrograms";

const READS_CLAUDE_TRANSCRIPT =
  "this hook seems to read the transcript in the format of Claude Code, but it gets the one of Mux";

const ADD_DIALECT = `${READS_CLAUDE_TRANSCRIPT}; add "dialect": "claude" to this handler, or "dialect": "mux" to end this hint`;

/** Code that reads a row of Claude Code's transcript. Compared without blanks and with one kind of quotes. */
const CLAUDE_ROWS = [
  ".message.content",
  ".message?.content",
  ".message.role",
  ".message.usage",
  '["message"]',
  '.get("message"',
  "toolUseResult",
  "isSidechain",
  "tool_use",
  "tool_result",
  '"type":"assistant"',
  '.type=="assistant"',
  '.type==="assistant"',
  '["type"]=="assistant"',
  '.get("type")=="assistant"',
];
/** Code that reads a row of Mux's transcript: such a hook knows both formats. */
const MUX_ROWS = [".parts", "dynamic-tool", '"parts"'];

const MAX_SCRIPTS = 4;

/** Returns a notice for each command and script that reads the format of Claude Code. */
export async function noteDialects(
  hooks: readonly ConfiguredHook[],
  view: MachineView,
  { projectDir, home }: { readonly projectDir: string; readonly home: string }
): Promise<Diagnostic[]> {
  const notes = hooks.map(async (hook): Promise<Diagnostic[]> => {
    const { handler, source, script } = hook;
    if (handler.type !== "command" || handler.dialect !== undefined || source === undefined) {
      return [];
    }
    const about = { severity: "notice" as const, ...source, keyPath: "" };
    if (script !== undefined) {
      const isClaudes = readsClaudeRows(decode(script.bytes));
      return isClaudes ? [{ ...about, message: scriptNeedsDialect(source.file) }] : [];
    }
    const expects =
      readsClaudeRows(lineOf(handler)) ||
      (await someScript(scriptsOf(handler, projectDir, home), view));
    return expects ? [{ ...about, message: ADD_DIALECT }] : [];
  });
  return (await Promise.all(notes)).flat();
}

/** Returns whether a program reads a transcript in the format of Claude Code, and in no other. */
function readsClaudeRows(text: string): boolean {
  if (!/transcript/i.test(text)) return false;
  const code = text
    .replaceAll(/\s/g, "")
    .replaceAll("'", '"')
    .replaceAll(String.raw`\"`, '"');
  const has = (part: string): boolean => code.includes(part);
  return CLAUDE_ROWS.some(has) && !MUX_ROWS.some(has);
}

function lineOf({ command, args = [] }: CommandHandler): string {
  return [command, ...args].join(" ");
}

/** Returns the paths that may be the scripts of a command: its program, and words with a slash or an extension. */
export function scriptsOf(handler: CommandHandler, projectDir: string, home: string): string[] {
  const words = invokedPrograms(handler).flatMap(({ program, args }) => [program, ...args]);
  const named = words.filter((word) => !word.startsWith("-") && /\/|\.\w{1,4}$/.test(word));
  const paths = named.map((word) =>
    resolveWord(
      word.replace(/^(?:~|\$HOME|\$\{HOME\})(?=\/)/, () => home),
      projectDir
    )
  );
  return [...new Set(paths)].slice(0, MAX_SCRIPTS);
}

async function someScript(paths: readonly string[], view: MachineView): Promise<boolean> {
  if (paths.length === 0) return false;
  const stats = await view.stats.stat(paths);
  for (const [i, path] of paths.entries()) {
    const stat = stats[i];
    if (stat?.kind === "file" && (await readsClaudeFile(path, stat, view))) return true;
  }
  return false;
}

async function readsClaudeFile(
  path: string,
  stat: PresentStat,
  { files, memory }: MachineView
): Promise<boolean> {
  const found = await memory.claudeReaders.get(path, stat, async () =>
    (await files.readFile(path, { maxBytes: MAX_SEARCHED_SCRIPT_BYTES })).map((bytes) =>
      readsClaudeRows(decode(bytes))
    )
  );
  return found.unwrapOr(false);
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes.subarray(0, MAX_SEARCHED_SCRIPT_BYTES));
}

/** @param path of a script that is itself the hook */
function scriptNeedsDialect(path: string): string {
  return `${READS_CLAUDE_TRANSCRIPT}; move it to another path than ${path}, and configure it in settings.json as a command with "dialect": "claude"`;
}
