/** `mux-stop-hooks hooks doctor`: reports whether hooks would run in the Mux of this machine, and how to fix it if not. */
import { type CliContext, EXIT, type ExitCode, printError } from "@/cli/context";
import { examineHost, examineRunning, type HostExamination } from "@/cli/mux/examineHost";
import { examineProject } from "@/cli/mux/examineProject";
import { findRunningHosts, type RunningHosts } from "@/cli/mux/runningHosts";
import { findProject, type WorkspaceOption } from "@/cli/workspace";
import { pathOutside } from "@/cli/ownCommands";
import { renderHookList } from "@/cli/render/hookList";
import { styleFor, type Style } from "@/cli/render/style";
import { terminalText } from "@/common/foreignText";

export async function doctor(
  options: WorkspaceOption & { readonly mux?: string },
  context: CliContext
): Promise<ExitCode> {
  const project = await findProject(options.project, context);
  if (project.isErr()) return printError(context, project.error);
  // A clone may have programs named `mux`, `node` or `ps`, which must not run before the user trusts it (H31).
  const { cwd, env, home } = context;
  const outside = { cwd, env: { ...env, PATH: pathOutside(project.value, context) }, home };
  const running = await findRunningHosts(outside);
  const installed = await examineHost(options.mux, outside);
  const [attached] = running.attached;
  const isFound = installed.place !== "" || options.mux !== undefined;
  const host = isFound || attached === undefined ? installed : examineRunning(attached);
  const found = await examineProject(project.value, host.build, context);
  const problems = [...host.problems, ...found.problems, ...problemsOf(running)];

  const style = styleFor(context.stdout, context.env);
  // The problems already include the missing trust, so the list leaves it out.
  const settings = { ...found.settings, trust: { trusted: true } as const };
  const blocks = [
    renderHost(host, style),
    ...renderRunning(running, style),
    renderHookList({ ...found, home, settings, style }).trimEnd(),
    ...(found.trust === undefined ? [] : [found.trust]),
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

/** Returns no block if no host runs with the hooks. */
function renderRunning({ attached }: RunningHosts, style: Style): string[] {
  if (attached.length === 0) return [];
  const rows = attached.map((status) => {
    const off = Object.entries(status.seams).filter(([, state]) => state !== "attached");
    const lack = off.map(([name, state]) => `; ${name}: ${state}`).join("");
    const { pid, startedAt, host, plugin } = status;
    return terminalText(
      `  process ${pid} since ${startedAt}: version ${host.version}, with mux-stop-hooks ${plugin}${lack}`
    );
  });
  return [[style.bold("Running with hooks"), ...rows].join("\n")];
}

/** Reports a running Mux without hooks, because Mux refuses to start a second server. */
function problemsOf({ attached, lock }: RunningHosts): string[] {
  if (lock === undefined || attached.some(({ pid }) => pid === lock.pid)) return [];
  const name = lock.command === "" ? "" : ` (${lock.command})`;
  return [
    terminalText(
      `a Mux without hooks is running as process ${lock.pid}${name} and holds the server lock; quit it (the desktop app too) before you start one with hooks`
    ),
  ];
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
