/** Gates as plain lines (G30a). */
import type { Output } from "@/cli/context";
import type { DetailLine } from "@/cli/gauntlet/render/gateDetails";
import type { RunView } from "@/cli/gauntlet/render/runView";
import type { RunEvent } from "@/node/services/gauntlet/domain/events";
import { plainLines, verdictLines } from "@/node/services/gauntlet/report/plainLines";

export class PlainProgress implements RunView {
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
