/**
 * `mux-stop-hooks doctor`: reports, as text or JSON, whether the Stop hooks of agent hosts work, and the project's
 * configuration, trust, git hook and last run. `--fix` updates hooks that do not start or have no `--verify`, removes
 * the old default log folder from the configuration, and asks a person for trust in changed gates (G24a, G29).
 */
import { type CliContext, EXIT, type ExitCode, printLine } from "@/cli/context";
import { examineHosts, type HostReport } from "@/cli/gauntlet/doctor/examineHosts";
import { makeRepairs, oldLogEdits } from "@/cli/gauntlet/doctor/makeRepairs";
import { problem, type Finding, good, info, nameIn } from "@/cli/gauntlet/doctor/finding";
import { indent } from "@/cli/render/formatText";
import { publishedJson, type PublishedDoctor } from "@/cli/gauntlet/publishedJson";
import { styleFor, type Style } from "@/cli/render/style";
import { shownCommand } from "@/common/ownCommandName";
import { findInitPlace, type InitPlace } from "@/cli/gauntlet/init/targetProject";
import { NEVER_TRUSTED, reviewAndTrust } from "@/cli/gauntlet/messages/gateTrust";
import { trust } from "@/cli/gauntlet/commands/trust";
import { whyNotForPerson } from "@/cli/gauntlet/personOnly";
import { whyNotAsInFiles } from "@/cli/gauntlet/trust/gateTrust";
import { loadGauntletConfig } from "@/node/services/gauntlet/config/loadConfig";
import { plainText, plural, visible } from "@/common/safeText";
import { examineGitHook } from "@/cli/gauntlet/init/hooks/gitHook";
import { describeLastRun } from "@/cli/gauntlet/render/lastRun";
import { CONFIG_FILE } from "@/node/services/gauntlet/config/configPaths";
import { loadStopHookSettings } from "@/node/services/gauntlet/config/stopHookSettings";
import { logDirOf } from "@/node/services/gauntlet/run/logs/logDir";
import { readState } from "@/node/services/gauntlet/state/executionState";
import { oldLogs } from "@/cli/gauntlet/messages/shared";

/** Runs `doctor`. @param options.fix makes the repairs first, and prompts a person for trust in changed gates */
export async function doctor(
  { fix = false, json = false }: { readonly fix?: boolean; readonly json?: boolean },
  context: CliContext
): Promise<ExitCode> {
  const { env, stdout } = context;
  const place = await findInitPlace(context);
  let reports = await examineHosts(place);
  let isFixed = true;
  if (fix) {
    const repairs = reports.flatMap((report) => report.repairs);
    const edits = [...(await oldLogEdits(place)), ...repairs];
    const output = json ? { ...context, stdout: context.stderr } : context;
    isFixed = await makeRepairs(edits, place, output);
    if (repairs.length > 0) reports = await examineHosts(place);
  }
  if (fix && !json) await settleTrust(place, context);
  const project = { title: visible(place.projectDir), findings: await examineGates(place) };
  const report = createReport(project, reports);
  const { problems } = report;
  const result = problems === 0 ? "No problems." : `${plural(problems, "problem")} found.`;
  const text = () => `${render(report, styleFor(stdout, env))}\n\n${result}`;
  printLine(context, json ? publishedJson("doctor", report) : text());
  return problems === 0 && isFixed ? EXIT.ok : EXIT.failure;
}

/** Runs `trust` if the gates are not trusted as they are, which prompts a person; not for an agent (G24a). */
async function settleTrust(place: InitPlace, context: CliContext): Promise<void> {
  const { runtime, projectDir } = place;
  if (whyNotForPerson("trust", context) !== undefined) return;
  const loaded = await loadGauntletConfig(runtime, projectDir);
  if (loaded.kind !== "valid") return;
  const why = await whyNotAsInFiles(runtime, projectDir, context);
  if (why !== undefined && why !== NEVER_TRUSTED) await trust({}, context);
}

type Section = PublishedDoctor["sections"][number];

/** Creates a section for the project, and for each host that is on this machine or has a hook. */
function createReport(project: Section, reports: readonly HostReport[]): PublishedDoctor {
  const isShown = ({ found, isInstalled }: HostReport): boolean => found || isInstalled;
  const blocks = reports
    .filter(isShown)
    .map(({ host, findings }): Section => ({ title: host.install.title, findings: [...findings] }));
  // A user without Mux gets no line about Mux.
  const absent = reports.filter((report) => !isShown(report) && report.host.name !== "mux");
  if (blocks.length === 0) {
    const next = `install one of the supported agents (see docs/agents.md), then run "${shownCommand()} init"; until then, run the gates with "${shownCommand()} run"`;
    const none = problem("no supported agent was found on this machine", next);
    blocks.push({ title: "Agents", findings: [none] });
  }
  const sections = [project, ...blocks];
  const problems = sections
    .flatMap(({ findings }) => findings)
    .filter(({ kind }) => kind === "problem");
  return {
    problems: problems.length,
    sections,
    absent: absent.map(({ host }) => host.install.title),
  };
}

function render({ sections, absent }: PublishedDoctor, style: Style): string {
  const texts = sections.map(({ title, findings }) =>
    [style.bold(title), ...findings.map((finding) => renderFinding(finding, style))].join("\n")
  );
  if (absent.length > 0) {
    texts.push(`Not on this machine, and no hook installed for them: ${absent.join(", ")}`);
  }
  return texts.join("\n\n");
}

function renderFinding({ kind, text, next }: Finding, style: Style): string {
  const mark = { good: style.green("yes"), info: "-  ", problem: style.red("no ") }[kind];
  const lines = indent(plainText(text), "       ").trimStart();
  return `  ${mark}  ${lines}${next === undefined ? "" : `\n       Next: ${next}`}`;
}

/** Examines the configuration of the project, and what the last run found. */
async function examineGates(place: InitPlace): Promise<Finding[]> {
  const { runtime, projectDir, env, home } = place;
  const loaded = await loadGauntletConfig(runtime, projectDir, { env });
  if (loaded.kind === "none") {
    const text = `this project has no ${CONFIG_FILE}, so the hook checks nothing`;
    return [problem(text, `run "${shownCommand()} init"`)];
  }
  if (loaded.kind === "invalid") {
    const errors = loaded.problems.filter(({ severity }) => severity === "error").length;
    const text = `${CONFIG_FILE} has ${plural(errors, "error")}, so the hook reports an error instead of checking`;
    return [problem(text, `run "${shownCommand()} validate", and correct each error`)];
  }
  const { stopHook: project } = loaded.config;
  const { disabledBy } = await loadStopHookSettings(runtime.host, { env, home, project });
  const untrusted = await whyNotAsInFiles(runtime, projectDir, place);
  const logDir = await logDirOf(runtime, projectDir, loaded.config);
  const { state, warning, lost } = await readState(runtime, logDir);
  const unread = lost?.message ?? warning;
  const found = [
    good(`configuration: ${CONFIG_FILE}`),
    disabledBy !== undefined &&
      problem(
        `the hook is disabled by ${disabledBy}, so it checks nothing`,
        "remove that setting, or set it to true"
      ),
    untrusted !== undefined && problem(untrusted, reviewAndTrust()),
    ...(await examineGitHook(place)),
    ...(await oldLogEdits(place)).map(({ path }) => info(oldLogs(nameIn(place, path)))),
    info(unread ?? describeLastRun(state)),
  ];
  return found.filter((finding) => finding !== false);
}
