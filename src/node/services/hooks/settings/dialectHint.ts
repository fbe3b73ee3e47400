/** Finds hooks that read Claude Code's transcript, but do not select its dialect (H46). */
import type { Diagnostic } from "@/common/diagnostics";
import { MAX_SEARCHED_SCRIPT_BYTES } from "@/common/limits";
import type { CommandHandler } from "@/node/services/hooks/contract/handlerTypes";
import type { ConfiguredHook } from "@/node/services/hooks/contract/types";
import type { MachineView } from "@/node/services/hooks/settings/workspace";
import { invokedPrograms, resolveWord } from "@/node/services/hooks/shell/invokedPrograms";

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
  const notes = hooks.map(async ({ handler, source, script }): Promise<Diagnostic[]> => {
    if (handler.type !== "command" || handler.dialect !== undefined || source === undefined) {
      return [];
    }
    const { command, args = [] } = handler;
    const expects =
      script === undefined
        ? readsClaudeRows([command, ...args].join(" ")) ||
          (await someScript(scriptsOf(handler, projectDir, home), view))
        : readsClaudeRows(decode(script.bytes));
    if (!expects) return [];
    const next =
      script === undefined
        ? 'add "dialect": "claude" to this handler, or "dialect": "mux" to end this hint'
        : `move it to another path than ${source.file}, and configure it in settings.json as a command with "dialect": "claude"`;
    const message = `this hook seems to read the transcript in the format of Claude Code, but it gets the one of Mux; ${next}`;
    return [{ severity: "notice", ...source, keyPath: "", message }];
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

async function someScript(
  paths: readonly string[],
  { files, stats, memory }: MachineView
): Promise<boolean> {
  if (paths.length === 0) return false;
  const found = await stats.stat(paths);
  for (const [i, path] of paths.entries()) {
    const stat = found[i];
    if (stat?.kind !== "file") continue;
    const reads = await memory.claudeReaders.get(path, stat, async () =>
      (await files.readFile(path, { maxBytes: MAX_SEARCHED_SCRIPT_BYTES })).map((bytes) =>
        readsClaudeRows(decode(bytes))
      )
    );
    if (reads.unwrapOr(false)) return true;
  }
  return false;
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes.subarray(0, MAX_SEARCHED_SCRIPT_BYTES));
}
