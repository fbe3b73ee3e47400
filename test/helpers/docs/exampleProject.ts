/** The examples of one section of a page: one project, in which the blocks run in order. */
import { join } from "node:path";
import { expect } from "vitest";
import { continuationMessage, type StopHooksResult } from "@/node/services/hooks/index";
import { asShown, expectedOutput } from "@test/helpers/docs/expected";
import type { Fence } from "@test/helpers/docs/markdown";
import { HookProject, type StopRequest } from "@test/helpers/hooks/hookProject";
import { putFile } from "@test/helpers/tempDir";

/** Returns the verdict of a stop: `continues`, `stops` or `ends`, with `+warning` if the user is warned. */
function verdictOf({ shouldStop, runs = [], warnings = [] }: StopHooksResult): string {
  const ended = runs.some(({ outcome }) => outcome === "end");
  const verdict = shouldStop ? (ended ? "ends" : "stops") : "continues";
  return warnings.length === 0 ? verdict : `${verdict}+warning`;
}

export class ExampleProject {
  /** The output of the last block that was run. */
  printed = "";
  /** The exit code of the last command of a console. */
  exitCode = 0;
  #lastStop: { event: "Stop" | "SubagentStop"; results: StopHooksResult[] } | undefined;
  #unused: Fence | undefined;

  private constructor(readonly project: HookProject) {}

  static async create(): Promise<ExampleProject> {
    return new ExampleProject(await HookProject.create({ name: "slug" }));
  }

  /** Registers a block that has no effect until another block uses it. */
  waitsForUse(fence: Fence): void {
    this.#unused ??= fence;
  }

  used(): void {
    this.#unused = undefined;
  }

  /** Called at the end of the section. */
  expectAllUsed(): void {
    expect(this.#unused?.place, "a block that no other block of its section runs").toBeUndefined();
  }

  /** Writes a file at a path relative to the project, or to `~`. A text that begins with `#!` is made executable. */
  async write(path: string, text: string): Promise<void> {
    const { home, dir } = this.project;
    const target = path.startsWith("~/") ? join(home, path.slice(2)) : join(dir, path);
    await putFile(target, text, text.startsWith("#!") ? 0o755 : undefined);
  }

  /** Runs the stops of one turn, one for each verdict that the block claims, and compares the verdicts. */
  async expectStops({ options, place }: Fence, request: StopRequest = {}): Promise<void> {
    this.used();
    const claims = options.get("verdict")?.split(",") ?? [];
    const event = options.get("event") === "SubagentStop" ? "SubagentStop" : "Stop";
    const agentType = options.get("agent") ?? "explore";
    const results: StopHooksResult[] = [];
    const repeatedFailures = new Set<string>();
    const trailing: Promise<unknown>[] = [];
    for (const continuation of claims.keys()) {
      const stop: StopRequest = {
        ...request,
        continuation,
        limit: { launchFailures: repeatedFailures },
        onDeferredWork: (work) => trailing.push(work),
        input: { stop_hook_active: continuation > 0, ...request.input },
      };
      const result =
        event === "Stop"
          ? await this.project.stop(stop)
          : await this.project.subagentStop(agentType, stop);
      for (const { launchFailure } of result.runs) {
        if (launchFailure !== undefined) repeatedFailures.add(launchFailure);
      }
      results.push(result);
    }
    await Promise.all(trailing);
    this.#lastStop = { event, results };
    expect(results.map(verdictOf), `${place}: ${this.userSaw}`).toEqual(claims);
    expect(claims.length, `${place}: the block claims no verdict`).toBeGreaterThan(0);
  }

  /** The message to the agent at the first stop that sent it back. */
  get agentSaw(): string {
    const { event, results } = this.#lastStop ?? { event: "Stop" as const, results: [] };
    const sentBack = results.find(({ shouldStop }) => !shouldStop);
    return sentBack === undefined ? "" : continuationMessage(event, sentBack);
  }

  /** All messages to the user, one per line. */
  get userSaw(): string {
    const { results } = this.#lastStop ?? { results: [] };
    return results
      .flatMap(({ warnings = [], systemMessages = [], stopReason = [] }) =>
        [...warnings, ...systemMessages].concat(stopReason)
      )
      .join("\n");
  }

  expectShown(fence: Fence, printed: string): void {
    expect(asShown(printed, this.project), fence.place).toMatch(expectedOutput(fence.text));
  }
}
