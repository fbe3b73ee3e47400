/**
 * `mux-stop-hooks hooks validate`: shows each problem of settings files with its source line and of hook scripts, and
 * warns of valid hooks that cannot run here. Runs no hook and needs no trust.
 */
import { type CliContext, EXIT, type ExitCode } from "@/cli/context";
import { planList } from "@/cli/render/hookList";
import { withWorkspace, type WorkspaceOption } from "@/cli/workspace";
import { shortPath, displayWidth } from "@/cli/render/formatText";
import { styleFor, type Style } from "@/cli/render/style";
import { countDiagnostics, type Diagnostic, formatDiagnostic } from "@/common/diagnostics";
import { MAX_SETTINGS_BYTES } from "@/common/limits";
import type { Files } from "@/node/runtime/HookRuntime";
import * as hooks from "@/node/services/hooks/index";
import { hookLoadOptions } from "@/wiring";
import { sliceWhole } from "@/common/safeText";

/** Runs `hooks validate`. Returns exit code 1 if there is an error or a warning. Notices do not count. */
export async function validate(options: WorkspaceOption, context: CliContext): Promise<ExitCode> {
  return await withWorkspace(options, context, async ({ runtime, projectDir }) => {
    // No hook is run, so trust does not matter.
    const load = { ...hookLoadOptions(runtime, context), trust: hooks.trustEverything };
    const settings = await hooks.loadHookSettings(runtime, projectDir, load);
    const problems = [...settings.diagnostics, ...findHooksThatCannotRun(settings, load.builtins)];

    const style = styleFor(context.stdout, context.env);
    const sources = await readHookFiles(runtime.host, problems);
    for (const problem of problems) {
      const text = explainDiagnostic(problem, sources.get(problem.file), style);
      context.stdout.write(`${text}\n\n`);
    }
    const files = settings.files.map((file) => `  ${shortPath(file, projectDir, context.home)}\n`);
    const found = countDiagnostics(problems) || "no problems";
    const where = files.length === 0 ? ": no settings files found" : " in";
    context.stdout.write(`${found}${where}\n${files.join("")}`);
    return problems.some(({ severity }) => severity !== "notice") ? EXIT.failure : EXIT.ok;
  });
}

/** Finds valid hooks that cannot run here, such as a script without its executable bit or an unknown handler. */
function findHooksThatCannotRun(
  settings: hooks.HookSettings,
  builtins: hooks.BuiltinHooks
): Diagnostic[] {
  return hooks.HOOK_EVENTS.flatMap((event) => planList(settings, event, builtins).skipped).flatMap(
    ({ hook, reason, visible }): Diagnostic[] => {
      if (!visible || hook.source === undefined) return [];
      const message = `${hook.name} does not run: ${reason}`;
      return [{ severity: "warning", ...hook.source, keyPath: "", message }];
    }
  );
}

/** Reads each settings file that has a problem. */
async function readHookFiles(
  files: Files,
  problems: readonly Diagnostic[]
): Promise<ReadonlyMap<string, string>> {
  const paths = [...new Set(problems.map(({ file }) => file))].filter((p) => p.endsWith(".json"));
  const stats = await files.stat(paths);
  const texts = new Map<string, string>();
  for (const [i, path] of paths.entries()) {
    if (stats[i]?.kind !== "file") continue;
    const read = await files.readFile(path, { maxBytes: MAX_SETTINGS_BYTES });
    if (read.isOk()) texts.set(path, new TextDecoder().decode(read.value));
  }
  return texts;
}

/** The length of an excerpt. A minified file is one line, so only the part around the problem is shown. */
const MAX_CHARS = 100;
const CHARS_BEFORE = 40;
/** Control characters. Each is replaced by one space, so that columns keep their positions. */
// oxlint-disable-next-line no-control-regex -- these are the characters to take out
const CONTROLS = /[\u0000-\u001f\u007f-\u009f]/g;

/** Renders a diagnostic with its source line. `source` is the text of the file, or undefined if it is unreadable. */
export function explainDiagnostic(
  diagnostic: Diagnostic,
  source: string | undefined,
  style: Style
): string {
  const { severity, line, column } = diagnostic;
  const paint = { error: style.red, warning: style.yellow, notice: style.dim }[severity];
  const head = `${paint(severity)} ${formatDiagnostic(diagnostic)}`;
  // A problem of the whole file has no position.
  if (diagnostic.keyPath === "" && line === 1 && column === 1) return head;
  const text = source?.split(/\r\n|\r|\n/)[line - 1];
  if (text === undefined || text.trim() === "") return head;
  const from = column - 1 > MAX_CHARS - CHARS_BEFORE ? column - 1 - CHARS_BEFORE : 0;
  const shown = sliceWhole(text, from, from + MAX_CHARS).replaceAll(CONTROLS, " ");
  const gutter = ` ${line} | `;
  const start = column - 1;
  const length = Math.min(tokenLength(text, start), from + MAX_CHARS - start);
  const token = text.slice(start, start + length).replaceAll(CONTROLS, " ");
  const before = " ".repeat(displayWidth(gutter + shown.slice(0, start - from)));
  const squiggle = "~".repeat(Math.max(displayWidth(token), 1));
  return [head, `${style.dim(gutter)}${shown}`, `${before}${paint(squiggle)}`].join("\n");
}

/** Returns the length of the JSON token at `start`: a string, a word or number, or a single character. */
function tokenLength(text: string, start: number): number {
  const token = /^(?:"(?:[^"\\]|\\.)*"?|[\w.+-]+)/.exec(text.slice(start));
  return token?.[0].length ?? 1;
}
