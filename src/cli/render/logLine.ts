/** Renders one line of the log of hooks. */
import { oneLine } from "@/cli/render/format";
import { formatDuration } from "@/common/formatDuration";
import type { Paint, Style } from "@/cli/render/style";
import { ENDS, exited } from "@/cli/messages/shared";
import type { HookLogEntry } from "@/node/services/hooks/index";

const OUTCOME_COLUMNS = 10;
const DURATION_COLUMNS = 7;

export function renderLogLine(entry: HookLogEntry, style: Style): string {
  const { session, outcome, ms, exit, hook, title, reason } = entry;
  const cells = [
    style.dim(localTime(entry.time)),
    style.dim(oneLine(session)),
    paintOf(outcome, style)(oneLine(outcome).padEnd(OUTCOME_COLUMNS)),
    formatDuration(ms).padStart(DURATION_COLUMNS),
    ...(exit === undefined ? [] : [describeExit(exit)]),
    style.bold(oneLine(hook)),
    oneLine(title),
  ];
  return `${cells.join("  ")}${reason === undefined ? "" : `: ${oneLine(reason)}`}\n`;
}

function describeExit(exit: number | string): string {
  if (typeof exit === "number") return exited(exit);
  return Object.hasOwn(ENDS, exit) ? ENDS[exit as keyof typeof ENDS] : oneLine(exit);
}

function paintOf(outcome: string, style: Style): Paint {
  if (outcome === "pass") return style.green;
  if (outcome === "failed") return style.red;
  return outcome === "block" || outcome === "feedback" ? style.yellow : (text) => text;
}

/** Returns a time of this machine's zone, such as `2026-11-22 18:22:03`. */
function localTime(time: string): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return oneLine(time);
  const shifted = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 19).replace("T", " ");
}
