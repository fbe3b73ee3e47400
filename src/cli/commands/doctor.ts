/**
 * `mux-stop-hooks hooks doctor`: reports whether hooks run in the Mux of this machine and which of their features work,
 * the hooks that would run in the project, and the problems to fix.
 */
import { type CliContext, EXIT, type ExitCode, printError } from "@/cli/context";
import { examineMux } from "@/cli/mux/examineMux";
import { findProject, type WorkspaceOption } from "@/cli/workspace";
import { renderHookList } from "@/cli/render/hookList";
import { styleFor } from "@/cli/render/style";

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
  const features = host.features.map(({ text, works }) =>
    works ? `  ${style.green("yes")}  ${text}` : `  ${style.red("no ")}  ${text}`
  );
  const title = style.bold(host.title);
  const rows = running.map((line) => `  ${line}`);
  const advice = ` Hooks run if Mux is started with: ${host.commands.join(", or ")}`;
  const success = `${style.green("No problems found.")}${host.commands.length === 0 ? "" : advice}`;
  const failure = [style.bold("Problems to fix"), ...problems.map((problem) => `  - ${problem}`)];
  const blocks = [
    host.place === "" ? title : [`${title}  ${host.place}`, ...features].join("\n"),
    ...(rows.length === 0 ? [] : [[style.bold("Running with hooks"), ...rows].join("\n")]),
    renderHookList({ ...project, home: context.home, settings, style }),
    ...(project.trust === undefined ? [] : [project.trust]),
    problems.length === 0 ? success : failure.join("\n"),
  ];
  context.stdout.write(`${blocks.join("\n\n")}\n`);
  return problems.length === 0 ? EXIT.ok : EXIT.failure;
}
