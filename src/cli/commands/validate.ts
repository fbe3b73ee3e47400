/** `mux-stop-hooks hooks validate`: shows every problem of settings files and hook scripts with its position. Runs no hook. */
import type { CliContext } from "@/cli/context";
import { EXIT, type ExitCode } from "@/cli/exitCodes";
import { planList } from "@/cli/planList";
import { findProject, type ProjectOption } from "@/cli/project";
import { printError } from "@/cli/render/printError";
import { shortPath } from "@/cli/render/format";
import { explainDiagnostic } from "@/cli/render/sourceExcerpt";
import { styleFor } from "@/cli/render/style";
import { countDiagnostics, type Diagnostic } from "@/common/diagnostics";
import { MAX_SETTINGS_BYTES } from "@/common/limits";
import type { Files } from "@/node/runtime/HookRuntime";
import {
  HOOK_EVENTS,
  type BuiltinHooks,
  loadHookSettings,
  trustEverything,
  type HookSettings,
} from "@/node/services/hooks/index";
import { createRuntime, hookLoadOptions } from "@/wiring";

/** Returns exit code 1 if there is an error or a warning. Notices do not count. */
export async function validate(options: ProjectOption, context: CliContext): Promise<ExitCode> {
  const project = await findProject(options.project, context);
  if (project.isErr()) return printError(context, project.error);
  const projectDir = project.value;
  const runtime = createRuntime(context.env);
  // No hook is run, so trust does not matter.
  const load = { ...hookLoadOptions(runtime, context), trust: trustEverything };
  const settings = await loadHookSettings(runtime, projectDir, load);
  const problems = [...settings.diagnostics, ...findHooksThatCannotRun(settings, load.builtins)];

  const style = styleFor(context.stdout, context.env);
  const sources = await readSources(runtime.host, problems);
  for (const problem of problems) {
    const text = explainDiagnostic(problem, sources.get(problem.file), style);
    context.stdout.write(`${text}\n\n`);
  }
  const files = settings.files.map((file) => `  ${shortPath(file, projectDir, context.home)}\n`);
  const summary = checkedFiles(countDiagnostics(problems), files.length);
  context.stdout.write(`${summary}\n${files.join("")}`);
  return problems.some(({ severity }) => severity !== "notice") ? EXIT.failure : EXIT.ok;
}

/** Finds valid hooks that cannot run here, such as a script without its executable bit or an unknown handler. */
function findHooksThatCannotRun(settings: HookSettings, builtins: BuiltinHooks): Diagnostic[] {
  return HOOK_EVENTS.flatMap((event) => planList(settings, event, builtins).skipped).flatMap(
    ({ hook, reason, visible }): Diagnostic[] => {
      if (!visible || hook.source === undefined) return [];
      const message = `${hook.name} does not run: ${reason}`;
      return [{ severity: "warning", ...hook.source, keyPath: "", message }];
    }
  );
}

/** Reads each settings file that has a problem. */
async function readSources(
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

/** The heading of the list of files. @param problems their number by severity, or an empty text */
function checkedFiles(problems: string, files: number): string {
  return `${problems === "" ? "no problems" : problems}${files === 0 ? ": no settings files found" : " in"}`;
}
