/** The examples of one section of a page: one project, in which each block is done in turn. */
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { continuationMessage, type StopHooksResult } from "@/node/services/hooks/index";
import { asShown, expectedOutput } from "@test/helpers/docs/expected";
import type { Fence } from "@test/helpers/docs/markdown";
import { HookProject, type StopRequest } from "@test/helpers/hooks/hookProject";

/** What a page says of one stop: `continues`, `stops` or `ends`, and `+warning` where the user is warned. */
function verdictOf({ shouldStop, runs = [], warnings = [] }: StopHooksResult): string {
  const ended = runs.some(({ outcome }) => outcome === "end");
  const verdict = shouldStop ? (ended ? "ends" : "stops") : "continues";
  return warnings.length === 0 ? verdict : `${verdict}+warning`;
}

export class ExampleProject {
  /** What was printed by the last block that was run. */
  printed = "";
  /** How the last command of a console ended. */
  exitCode = 0;
  #lastStop: { event: "Stop" | "SubagentStop"; results: StopHooksResult[] } | undefined;
  #unused: Fence | undefined;

  private constructor(readonly project: HookProject) {}

  static async create(): Promise<ExampleProject> {
    return new ExampleProject(await HookProject.create({ name: "slug" }));
  }

  /** Something that means nothing before another block has run it. */
  waitsForUse(fence: Fence): void {
    this.#unused ??= fence;
  }

  used(): void {
    this.#unused = undefined;
  }

  /** At the end of the section. */
  expectAllUsed(): void {
    expect(this.#unused?.place, "a block that no other block of its section runs").toBeUndefined();
  }

  /** A path from the project, or from `~`. What begins with `#!` may be executed. */
  async write(path: string, text: string): Promise<void> {
    const { home, dir } = this.project;
    const target = path.startsWith("~/") ? join(home, path.slice(2)) : join(dir, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, text);
    if (text.startsWith("#!")) await chmod(target, 0o755);
  }

  /** The stops of one turn, one for each verdict that the block claims, compared with the claims. */
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
        repeatedFailures,
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

  /** What the agent was sent at the first stop that sent it back. */
  get agentSaw(): string {
    const { event, results } = this.#lastStop ?? { event: "Stop" as const, results: [] };
    const sentBack = results.find(({ shouldStop }) => !shouldStop);
    return sentBack === undefined ? "" : continuationMessage(event, sentBack);
  }

  /** What the user was told in all, a line each. */
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
