/** The output of a run: live on a terminal, else as plain lines, in the order of its events (G30). */
import { plainLines, verdictLines } from "@/node/services/gauntlet/report/plainLines";
import type { CliContext, Output } from "@/cli/context";
import { readDetails, type DetailLine, type RunView } from "@/cli/gauntlet/render/gateDetails";
import { GateProgress } from "@/cli/gauntlet/render/gateProgress";
import { LiveLines } from "@/cli/render/liveLines";
import { isLive, styleFor } from "@/cli/render/style";
import type { Files } from "@/node/runtime/HookRuntime";
import { isCi } from "@/common/isCi";
import type { RunEvent, RunListener } from "@/node/services/gauntlet/domain/events";
import { isFailure } from "@/node/services/gauntlet/domain/gate";

/** Gates as plain lines (G30a). */
class PlainProgress implements RunView {
  constructor(private readonly options: { readonly output: Output; readonly isQuiet: boolean }) {}

  onEvent(event: RunEvent, details: readonly DetailLine[]): void {
    const { output, isQuiet } = this.options;
    const lines =
      isQuiet && event.type === "run-end" ? verdictLines(event.result) : plainLines(event);
    // The path of the log is in both.
    const more = details.map(({ text }) => text).filter((text) => !lines.includes(text));
    for (const line of [...lines, ...more]) output.write(`${line}\n`);
  }

  clear(): void {
    // Nothing is redrawn.
  }
}

export type Detail = "quiet" | "normal" | "verbose";

interface RunOutput {
  readonly listener: RunListener;
  /** Resolves when everything has been printed. */
  end(): Promise<void>;
}

interface RunOutputOptions {
  /** Whether the lines are plain on a terminal too. */
  readonly plain: boolean;
  readonly detail: Detail;
}

export function openRunOutput(
  files: Files,
  context: CliContext,
  { plain, detail }: RunOutputOptions
): RunOutput {
  const { stdout, stderr, env, clock } = context;
  // A program that reads standard output shows its own lines on the terminal.
  const isTerminal = isLive(stderr, env) && isLive(stdout, env) && !plain && !isCi(env);
  const isQuiet = detail === "quiet";
  const view: RunView = isTerminal
    ? new GateProgress({
        lines: new LiveLines(stderr, !isQuiet),
        style: styleFor(stderr, env),
        clock,
        isQuiet,
      })
    : new PlainProgress({ output: stderr, isQuiet });
  const stopListening = context.onExit(() => {
    view.clear();
  });
  const hasDetails = isTerminal || detail === "verbose";
  // Events wait for those before them, because the details of a gate are read from files.
  let last = Promise.resolve();
  let waiting = 0;
  const show = async (event: RunEvent): Promise<void> => {
    const details =
      event.type === "gate-end" && hasDetails
        ? await readDetails(files, event.result, detail === "verbose").catch(() => [])
        : [];
    view.onEvent(event, details);
  };
  return {
    listener: (event) => {
      if (isQuiet && !isShownQuietly(event)) return;
      if (waiting === 0 && event.type !== "gate-end") {
        view.onEvent(event, []);
        return;
      }
      waiting++;
      last = last
        .then(() => show(event))
        .catch(() => undefined)
        .finally(() => waiting--);
    },
    end: async () => {
      await last;
      stopListening();
    },
  };
}

/** Returns whether `--quiet` keeps an event. */
function isShownQuietly(event: RunEvent): boolean {
  switch (event.type) {
    case "notice":
      return event.level === "warning";
    case "gate-end":
      return isFailure(event.result);
    case "slot-end":
      return event.slot.outcome === "failed" || event.slot.outcome === "error";
    case "gate-start":
    case "slot-start":
      return false;
    case "plan":
    case "run-end":
      return true;
  }
}
