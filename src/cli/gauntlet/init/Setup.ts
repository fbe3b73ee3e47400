import { posix } from "node:path";
import type { CliContext } from "@/cli/context";
import { printError } from "@/cli/gauntlet/printError";
import { EXIT, type GauntletExitCode } from "@/cli/gauntlet/exitCodes";
import { writeFirstConfig } from "@/cli/gauntlet/init/firstConfig";
import type { HookHost } from "@/cli/gauntlet/init/hooks/hookHosts";
import type { InstallPlan, InitPlace } from "@/cli/gauntlet/init/hooks/hookPlan";
import type { Questions } from "@/cli/render/Questions";
import { editSettings } from "@/cli/gauntlet/init/hooks/settingsText";
import { isTrusted, trustAsWritten } from "@/cli/gauntlet/init/hooks/trust";
import { shortPath } from "@/cli/render/format";
import { styleFor } from "@/cli/render/style";
import { visible } from "@/common/text";
import { CONFIG_FILE } from "@/node/services/gauntlet/config/configPaths";
import {
  findBaseBranch,
  isInRepository,
  notIgnored,
} from "@/node/services/gauntlet/run/changes/repositoryFacts";
import { recordStartingCommit } from "@/node/services/gauntlet/hook/startingCommit";
import * as messages from "@/cli/gauntlet/messages/init";
import { notWritable } from "@/cli/messages/files";

const NEXT_STEPS = [messages.addChecks(CONFIG_FILE), messages.RUN_GATES];

/** Sets up one project step by step, and prints each step. Never overwrites existing content. */
export class Setup {
  /** Paths of the user's own settings files that were written. */
  readonly #personal: string[] = [];
  #code: GauntletExitCode = EXIT.ok;
  #wroteConfig = false;
  /** Whether everything that would run was trusted before, or is written by this setup. */
  #isTrusted: boolean;

  private constructor(
    private readonly place: InitPlace,
    private readonly context: CliContext,
    wasTrusted: boolean
  ) {
    this.#isTrusted = wasTrusted;
  }

  static async begin(
    project: Pick<InitPlace, "runtime" | "projectDir">,
    context: CliContext
  ): Promise<Setup> {
    const { env, home, program } = context;
    const place = { ...project, env, home, program };
    return new Setup(place, context, await isTrusted(place));
  }

  async writeConfig(): Promise<void> {
    const { runtime, projectDir } = this.place;
    const path = posix.join(projectDir, CONFIG_FILE);
    const name = this.#nameOf(path);
    const [stat] = await runtime.stat([path]);
    if (stat?.kind !== "missing") {
      this.#print(messages.alreadyExists(name));
      return;
    }
    this.#print(messages.creating(name));
    const base = await findBaseBranch(runtime, projectDir);
    const written = await writeFirstConfig(runtime, projectDir, base);
    if (written.isErr()) {
      this.#fail(notWritable(written.error.path, written.error.message));
      return;
    }
    this.#wroteConfig = true;
    this.#isTrusted &&= written.value.isAllOurs;
    this.#tick(messages.CONFIG_CREATED);
  }

  /** Asks the user first, unless there is nothing to do. */
  async offerHook(host: HookHost, questions: Questions): Promise<void> {
    const plan = await host.plan(this.place);
    if (this.#isDone(host, plan)) return;
    const question = messages.hookQuestion(host.title, plan.installedAt !== undefined);
    if (await questions.yesOrNo(question)) await this.#write(host, plan);
  }

  async installHook(host: HookHost): Promise<void> {
    const plan = await host.plan(this.place);
    if (!this.#isDone(host, plan)) await this.#write(host, plan);
  }

  /** Does the remaining steps once everything is written, even if the user has interrupted the questions. */
  async finish(signal: AbortSignal): Promise<GauntletExitCode> {
    await recordStartingCommit(this.place);
    if (this.#wroteConfig || this.#personal.length > 0) await this.#settleTrust();
    await this.#printUnignored();
    if (this.#wroteConfig && !signal.aborted) await this.#printNext();
    return this.#code;
  }

  #isDone(host: HookHost, { installedAt, advice, edits }: InstallPlan): boolean {
    if (installedAt === undefined || edits.isErr() || edits.value.length > 0) return false;
    const { projectDir, home } = this.place;
    const place = shortPath(installedAt, projectDir, home);
    this.#print(messages.alreadyInstalled(host.title, place));
    if (advice !== undefined) this.#print(advice);
    return true;
  }

  async #write(host: HookHost, { installedAt, edits }: InstallPlan): Promise<void> {
    const { runtime } = this.place;
    if (edits.isErr()) {
      this.#fail(edits.error);
      return;
    }
    const begun = new Set<string>();
    for (const edit of edits.value) {
      const { path } = edit;
      const [stat] = await runtime.stat([path]);
      const describe = stat?.kind === "missing" ? messages.creating : messages.updating;
      if (!begun.has(path)) this.#print(describe(this.#nameOf(path)));
      begun.add(path);
      const edited = await editSettings(runtime, edit);
      if (edited.isErr()) {
        this.#fail(messages.notInstalled(edited.error, host.title, host.name));
        return;
      }
    }
    this.#personal.push(...begun);
    this.#tick(installedAt === undefined ? messages.HOOK_INSTALLED : messages.HOOK_UPDATED);
  }

  async #settleTrust(): Promise<void> {
    if (!this.#isTrusted) {
      const { projectDir } = this.place;
      this.#print(messages.trustNeeded(visible(projectDir)));
      return;
    }
    const recorded = await trustAsWritten(this.place, new Date());
    recorded?.match(
      (path) => {
        this.#tick(messages.trustedAsWritten(this.#nameOf(path)));
      },
      (problem) => {
        this.#fail(problem);
      }
    );
  }

  async #printUnignored(): Promise<void> {
    const { runtime, projectDir } = this.place;
    const names = this.#personal
      .map((path) => posix.relative(projectDir, path))
      .filter((name) => !name.startsWith("../"));
    if (names.length === 0) return;
    const seen = await notIgnored(runtime, projectDir, names);
    if (seen.length === 0) return;
    this.#print(messages.notIgnored(seen));
  }

  async #printNext(): Promise<void> {
    const { runtime, projectDir } = this.place;
    const isReady = await isInRepository(runtime, projectDir);
    const steps = isReady ? NEXT_STEPS : [messages.GIT_FIRST, ...NEXT_STEPS];
    this.#print(`\n${messages.NEXT}`);
    for (const [i, step] of steps.entries()) this.#print(`  ${i + 1}. ${step}`);
  }

  /** Returns the path as the user would write it in the current folder. */
  #nameOf(path: string): string {
    const { cwd, home } = this.context;
    const relative = posix.relative(cwd, path);
    return visible(relative.startsWith("../") ? shortPath(path, cwd, home) : relative);
  }

  #print(line: string): void {
    this.context.stdout.write(`${line}\n`);
  }

  #tick(line: string): void {
    const { stdout, env } = this.context;
    this.#print(`${styleFor(stdout, env).green("✓")} ${line}`);
  }

  #fail(problem: string): void {
    this.#code = printError(this.context, problem);
  }
}
