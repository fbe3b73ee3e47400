/** `mux-stop-hooks hooks doctor`: reports whether hooks would run in the Mux of this machine, and how to fix it if not. */
import { type CliContext, EXIT, type ExitCode, printError } from "@/cli/context";
import type { HostExamination } from "@/cli/mux/examineHost";
import { examineMux } from "@/cli/mux/examineMux";
import { findProject, type WorkspaceOption } from "@/cli/workspace";
import { renderHookList } from "@/cli/render/hookList";
import { styleFor, type Style } from "@/cli/render/style";

export async function doctor(
  options: WorkspaceOption & { readonly mux?: string },
  context: CliContext
): Promise<ExitCode> {
  const found = await findProject(options.project, context);
  if (found.isErr()) return printError(context, found.error);
  const { host, running, project, problems } = await examineMux(found.value, options.mux, context);

  const style = styleFor(context.stdout, context.env);
  // The problems already include the missing trust, so the list leaves it out.
  const settings = { ...project.settings, trust: { trusted: true } as const };
  const rows = running.map((line) => `  ${line}`);
  const blocks = [
    renderHost(host, style),
    ...(rows.length === 0 ? [] : [[style.bold("Running with hooks"), ...rows].join("\n")]),
    renderHookList({ ...project, home: context.home, settings, style }).trimEnd(),
    ...(project.trust === undefined ? [] : [project.trust]),
    renderProblems(problems, host.commands, style),
  ];
  context.stdout.write(`${blocks.join("\n\n")}\n`);
  return problems.length === 0 ? EXIT.ok : EXIT.failure;
}

function renderHost({ title, place, features }: HostExamination, style: Style): string {
  if (place === "") return style.bold(title);
  const rows = features.map(({ text, works }) =>
    works ? `  ${style.green("yes")}  ${text}` : `  ${style.red("no ")}  ${text}`
  );
  return [`${style.bold(title)}  ${place}`, ...rows].join("\n");
}

function renderProblems(
  problems: readonly string[],
  commands: readonly string[],
  style: Style
): string {
  if (problems.length === 0) {
    const advice =
      commands.length === 0 ? "" : ` Hooks run if Mux is started with: ${commands.join(", or ")}`;
    return `${style.green("No problems found.")}${advice}`;
  }
  return [style.bold("Problems to fix"), ...problems.map((problem) => `  - ${problem}`)].join("\n");
}
