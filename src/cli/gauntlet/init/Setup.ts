import { posix } from "node:path";
import type { CliContext } from "@/cli/context";
import { printError } from "@/cli/gauntlet/printError";
import { EXIT, type GauntletExitCode } from "@/cli/gauntlet/exitCodes";
import { SHARED_MODE } from "@/cli/gauntlet/init/fileMode";
import { EXAMPLE_PATH, type NewFile } from "@/cli/gauntlet/init/firstConfig";
import type { HookHost } from "@/cli/gauntlet/init/hookHosts";
import type { InstallPlan, InitPlace } from "@/cli/gauntlet/init/hookPlan";
import type { PlannedHost } from "@/cli/gauntlet/init/InitPlan";
import { editSettings } from "@/cli/gauntlet/init/settingsText";
import { isTrusted, trustAsWritten } from "@/cli/gauntlet/init/trust";
import { shortPath } from "@/cli/render/format";
import { styleFor } from "@/cli/render/style";
import { visible } from "@/common/text";
import { CONFIG_FILE } from "@/node/services/gauntlet/config/configPaths";
import { isInRepository, notIgnored } from "@/node/services/gauntlet/run/changes/repositoryFacts";
import { recordStartingCommit } from "@/node/services/gauntlet/hook/startingCommit";
import * as messages from "@/cli/gauntlet/messages/init";
import { notWritable } from "@/cli/messages/files";

/** Sets up one project step by step, and prints each step. Never overwrites existing content. */
export class Setup {
  /** Paths of the user's own settings files that were written. */
  readonly #personal: string[] = [];
  #code: GauntletExitCode = EXIT.ok;
  #wroteConfig = false;
  #isExample = false;
  /** Whether everything that would run was trusted before, or is written by this setup. */
  #isTrusted: boolean;

  private constructor(
    private readonly place: InitPlace,
    private readonly context: CliContext,
    wasTrusted: boolean
  ) {
    this.#isTrusted = wasTrusted;
  }

  static async begin(place: InitPlace, context: CliContext): Promise<Setup> {
    return new Setup(place, context, await isTrusted(place));
  }

  /** Reports that the project has a configuration, which stays as it is. */
  keepConfig(): void {
    this.#print(
      messages.alreadyExists(this.#nameOf(posix.join(this.place.projectDir, CONFIG_FILE)))
    );
  }

  /** Creates the files, the configuration last. A check that exists already stays as it is. */
  async writeConfig(files: readonly NewFile[]): Promise<void> {
    const { runtime, projectDir } = this.place;
    for (const { path: name, text } of files) {
      const path = posix.join(projectDir, name);
      const written = await runtime.createFile(path, text, { mode: SHARED_MODE });
      if (written.isOk()) {
        this.#print(messages.creating(this.#nameOf(path)));
      } else if (written.error.code === "EEXIST") {
        this.#isTrusted = false;
        this.#print(messages.alreadyExists(this.#nameOf(path)));
      } else {
        this.#fail(notWritable(written.error.path, written.error.message));
        return;
      }
    }
    this.#wroteConfig = true;
    this.#isExample = files.some(({ path }) => path === EXAMPLE_PATH);
    this.#tick(messages.CONFIG_CREATED);
  }

  async installHook({ host, plan }: PlannedHost): Promise<void> {
    if (!this.#isDone(host, plan)) await this.#write(host, plan);
  }

  /** Does the remaining steps once everything is written. */
  async finish(): Promise<GauntletExitCode> {
    await recordStartingCommit(this.place);
    if (this.#wroteConfig || this.#personal.length > 0) await this.#settleTrust();
    await this.#printUnignored();
    if (this.#wroteConfig) await this.#printNext();
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
    const steps = [
      ...(isReady ? [] : [messages.GIT_FIRST]),
      ...(this.#isExample ? [messages.addChecks(CONFIG_FILE)] : []),
      messages.RUN_GATES,
    ];
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
