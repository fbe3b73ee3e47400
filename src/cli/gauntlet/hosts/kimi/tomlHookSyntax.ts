/**
 * Reads and edits the hooks in the `config.toml` of Kimi Code for `init`, `uninstall` and `doctor`: each is a table
 * `[[hooks]]` with an event and a command.
 */
import { err, ok } from "neverthrow";
import type { HookSyntax } from "@/cli/gauntlet/init/hooks/hookSyntax";
import { fileDiagnostic } from "@/common/diagnostics";
import { parseJson, type JsonObject } from "@/common/json";

const INLINE_HOOKS =
  'it sets "hooks" in one line, so no hook can be added; write each hook as a table [[hooks]] first';
const INLINE = /^[ \t]*hooks[ \t]*=/m;

export const tomlSyntax: HookSyntax = {
  commandKey: "command",
  list: (source, event) => tablesOf(source, event).map(({ handler }) => handler),
  add: (file, source, event, fields) => {
    const [rootTable = ""] = source.split(/^[ \t]*\[/m, 1);
    if (INLINE.test(rootTable)) return err(fileDiagnostic("error", file, INLINE_HOOKS));
    const gap = source.trim() === "" ? "" : `${source.trimEnd()}\n\n`;
    return ok(`${gap}${tableOf(event, fields).join("\n")}\n`);
  },
  change: (source, event, change) => {
    const lines = source.split("\n");
    for (const { from, to, handler } of tablesOf(source, event).reverse()) {
      const fields = change(handler.fields);
      if (fields === handler.fields) continue;
      // A table is removed with the blank line that was added before it.
      const start = fields === undefined && lines[from - 1] === "" ? from - 1 : from;
      lines.splice(start, to - start, ...(fields === undefined ? [] : tableOf(event, fields)));
    }
    return lines.join("\n");
  },
  isEmpty: (source) => source.trim() === "",
  // The file has other settings of the host, which checks it itself.
  check: () => undefined,
};

function tableOf(event: string, { type: _, ...fields }: JsonObject): string[] {
  const entries = Object.entries({ event, ...fields });
  return ["[[hooks]]", ...entries.map(([key, value]) => `${key} = ${JSON.stringify(value)}`)];
}

/**
 * Returns each table of an event: the index of its first line, that of the line after its last one, and its handler.
 */
function tablesOf(source: string, wanted: string) {
  const lines = source.split("\n");
  const starts = lines.flatMap((line, i) =>
    /^\s*\[\[\s*hooks\s*\]\]\s*(?:#.*)?$/.test(line) ? [i] : []
  );
  return starts.flatMap((from) => {
    const next = lines.findIndex((line, i) => i > from && /^\s*\[/.test(line));
    let to = next === -1 ? lines.length : next;
    while (to > from + 1 && /^\s*(?:#.*)?$/.test(lines[to - 1] ?? "")) to--;
    const fields: JsonObject = {};
    for (const line of lines.slice(from + 1, to)) {
      const [, key, value = ""] = /^\s*([\w-]+)\s*=\s*(.*)$/.exec(line) ?? [];
      if (key !== undefined) fields[key] = valueOf(value.trim());
    }
    const { event, ...rest } = fields;
    const { command } = rest;
    if (event !== wanted || typeof command !== "string") return [];
    const handler = { line: from + 1, command, fields: { type: "command", ...rest } };
    return [{ from, to, handler }];
  });
}

/** Returns a basic or literal string, or a number, without a comment. The escapes of a basic string are those of JSON. */
function valueOf(text: string): unknown {
  const [value = text, literal] = /^(?:'([^']*)'|"(?:[^"\\]|\\.)*"|[^'"#\s]+)/.exec(text) ?? [];
  return literal ?? parseJson(value).unwrapOr(text);
}
