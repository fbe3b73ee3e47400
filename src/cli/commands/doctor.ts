/** `mux-hooks doctor`: whether hooks would run in the Mux of this machine, and what to do where they would not. */
import type { CliContext } from "@/cli/context";
import { EXIT, type ExitCode } from "@/cli/exitCodes";
import { examineHost, type HostReport } from "@/cli/mux/examineHost";
import { examineProject } from "@/cli/mux/examineProject";
import { findProject, type ProjectOption } from "@/cli/project";
import { complain } from "@/cli/render/complain";
import { renderHookList } from "@/cli/render/hookList";
import { styleFor, type Style } from "@/cli/render/style";

export interface DoctorOptions extends ProjectOption {
  readonly mux?: string;
}

export async function doctor(options: DoctorOptions, context: CliContext): Promise<ExitCode> {
  const project = await findProject(options.project, context);
  if (project.isErr()) return complain(context, project.error);
  const host = await examineHost(options.mux, context);
  const found = await examineProject(project.value, host.build, context);
  const problems = [...host.problems, ...found.problems];

  const style = styleFor(context.stdout, context.env);
  const { projectDir, lists } = found;
  // Said once, among what is wrong.
  const settings = { ...found.settings, trust: { trusted: true } as const };
  const blocks = [
    renderHost(host, style),
    renderHookList({ projectDir, home: context.home, settings, lists, style }).trimEnd(),
    ...(found.trust === undefined ? [] : [found.trust]),
    renderProblems(problems, style),
  ];
  context.stdout.write(`${blocks.join("\n\n")}\n`);
  return problems.length === 0 ? EXIT.ok : EXIT.failure;
}

function renderHost({ build, place, features }: HostReport, style: Style): string {
  if (build === undefined) return style.bold("No Mux found");
  const rows = features.map(({ text, works }) =>
    works ? `  ${style.green("yes")}  ${text}` : `  ${style.red("no ")}  ${text}`
  );
  return [`${style.bold(`${build.name} ${build.version}`)}  ${place}`, ...rows].join("\n");
}

function renderProblems(problems: readonly string[], style: Style): string {
  if (problems.length === 0) {
    return `${style.green("All is well.")} Hooks run where Mux is started by: mux-hooks attach -- mux server`;
  }
  return [style.bold("What is wrong"), ...problems.map((problem) => `  - ${problem}`)].join("\n");
}
