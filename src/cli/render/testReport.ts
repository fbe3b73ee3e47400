/** Renders the report of `mux-stop-hooks hooks test`. */
import { plural } from "@/common/text";
import { indent, oneLine, withinProject } from "@/cli/render/format";
import { formatDuration } from "@/common/formatDuration";
import { originOf, renderDiagnostics, trustLine } from "@/cli/render/hookList";
import type { Style } from "@/cli/render/style";
import type { Diagnostic } from "@/common/diagnostics";
import type {
  HookRun,
  StopHookInput,
  StopHooksResult,
  TrustState,
} from "@/node/services/hooks/index";
import * as messages from "@/cli/messages/shared";

const AGENT_MAY_STOP = "The agent may stop";

interface TestReport {
  /** The name of the project in the record of trust. */
  readonly name: string;
  readonly projectDir: string;
  readonly input: StopHookInput;
  readonly result: StopHooksResult;
  readonly trust: TrustState;
  readonly diagnostics: readonly Diagnostic[];
  /** The message that would be sent to the agent; absent if it may stop. */
  readonly message?: string;
  /** The maximum number of continuations; set if it has been reached. */
  readonly limit?: number;
}

interface View {
  readonly home: string;
  readonly style: Style;
}

export function renderTestReport(report: TestReport, view: View): string {
  const { input, result, trust, diagnostics } = report;
  const { style } = view;
  const { runs = [], skipped = [] } = result;
  const skips = skipped.map(({ hook, reason }) => `${hook.name}  skipped: ${oneLine(reason)}`);
  const userSees = runs.flatMap(({ systemMessage }) => systemMessage ?? []);
  const blocks = [
    `${style.bold("Input")}\n${indent(JSON.stringify(input, null, 2), "  ")}`,
    ...runs.map((run) => renderRun(run, report, view)),
    ...(skips.length === 0 ? [] : [style.dim(skips.join("\n"))]),
    ...trustLine(trust, report.name).map(style.yellow),
    ...renderDiagnostics(diagnostics, style),
    ...userSees.map((text) => `${style.bold("The user sees")}\n${text}`),
    renderVerdict(report, style),
  ];
  return `${blocks.join("\n\n")}\n`;
}

function renderRun(run: HookRun, { projectDir }: TestReport, { home, style }: View): string {
  const { name, outcome, durationMs, title, stdout, stderr, warnings, notes, context } = run;
  const end = describeEnd(run);
  const lines = [
    `${style.bold(name)}  ${outcome}${end === undefined ? "" : `  ${end}`}  ${formatDuration(durationMs)}`,
    style.dim(
      `  ${withinProject(title, projectDir)}  (${originOf(run.source, { projectDir, home })})`
    ),
    ...stream("stdout", stdout, run.stdoutBytes),
    ...stream("stderr", stderr, run.stderrBytes),
    ...warnings.map((text) => style.yellow(`  warning: ${text}`)),
    ...notes.map((text) => `  note: ${text}`),
    ...(outcome === "background" && context !== undefined
      ? [`  sent to the agent with your next message:\n${indent(context, "    ")}`]
      : []),
  ];
  return lines.join("\n");
}

/** Renders an output stream. `bytes` is its total size; `text` may be only its beginning. */
function stream(name: string, text: string | undefined, bytes: number): string[] {
  if (bytes === 0) return [];
  const shown = text === undefined ? "" : `\n${indent(text, "    ")}`;
  return [`  ${name}, ${bytes} B${text !== undefined ? ":" : " (not shown)"}${shown}`];
}

function describeEnd({ end }: HookRun): string | undefined {
  if (end === undefined) return undefined;
  switch (end.kind) {
    case "exited":
      return messages.exited(end.code);
    case "signaled":
      return end.signal;
    default:
      return messages.ENDS[end.kind];
  }
}

function renderVerdict({ result, message, limit }: TestReport, style: Style): string {
  if (message !== undefined) return `${style.bold("Would be sent to the agent")}\n${message}`;
  if (!result.shouldStop) {
    return `${style.bold(AGENT_MAY_STOP)}: the limit of ${plural(limit ?? 0, "continuation")} is reached (stopHooks.maxContinuations)`;
  }
  const { stopReason, runs = [] } = result;
  if (stopReason !== undefined) return `${style.bold("The turn ends")}: ${stopReason}`;
  return runs.length === 0
    ? `${style.bold(AGENT_MAY_STOP)}: ${messages.NO_HOOK_RAN}`
    : style.bold(AGENT_MAY_STOP);
}
