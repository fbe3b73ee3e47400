import { posix } from "node:path";
import type { CliContext } from "@/cli/context";
import { printError } from "@/cli/gauntlet/printError";
import { EXIT, type GauntletExitCode } from "@/cli/gauntlet/exitCodes";
import { writeFirstConfig } from "@/cli/gauntlet/init/firstConfig";
import type { HookHost } from "@/cli/gauntlet/init/hookHosts";
import type { InstallPlan, InitPlace } from "@/cli/gauntlet/init/hookPlan";
import type { Questions } from "@/cli/render/Questions";
import { editSettings } from "@/cli/gauntlet/init/settingsText";
import { isTrusted, trustAsWritten } from "@/cli/gauntlet/init/trust";
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

const INSTALLED = "Stop hook installed - gauntlet will run automatically when agent stops";

const UPDATED =
  "Stop hook updated - it checks every stop, and each of your messages begins the retries anew";

const GIT_FIRST = 'Run "git init": gates run on what has changed, and this is no git repository.';
const NEXT_STEPS = [
  `Add your linter, type checker and tests: one file each in .gauntlet/checks, named in ${CONFIG_FILE}.`,
  'Run "agent-gauntlet run" to see the gates pass.',
];

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
      this.#say(`${name} is there already and stays as it is.`);
      return;
    }
    this.#say(`Creating ${name}...`);
    const base = await findBaseBranch(runtime, projectDir);
    const written = await writeFirstConfig(runtime, projectDir, base);
    if (written.isErr()) {
      this.#fail(`${written.error.path} cannot be written: ${written.error.message}`);
      return;
    }
    this.#wroteConfig = true;
    this.#isTrusted &&= written.value.isAllOurs;
    this.#tick("Configuration created");
  }

  /** Asks the user first, unless there is nothing to do. */
  async offerHook(host: HookHost, questions: Questions): Promise<void> {
    const plan = await host.plan(this.place);
    if (this.#isDone(host, plan)) return;
    const verb = plan.installedAt === undefined ? "Install" : "Update";
    if (await questions.yesOrNo(`${verb} ${host.title} stop hook?`)) await this.#write(host, plan);
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
    this.#say(`The ${host.title} stop hook is installed already: ${place}`);
    if (advice !== undefined) this.#say(advice);
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
      const verb = stat?.kind === "missing" ? "Creating" : "Updating";
      if (!begun.has(path)) this.#say(`${verb} ${this.#nameOf(path)}...`);
      begun.add(path);
      const edited = await editSettings(runtime, edit);
      if (edited.isErr()) {
        const advice = `run "agent-gauntlet init --hook ${host.name}" again`;
        this.#fail(
          `${edited.error}\nThe ${host.title} stop hook is not installed; fix this, then ${advice}.`
        );
        return;
      }
    }
    this.#personal.push(...begun);
    this.#tick(installedAt === undefined ? INSTALLED : UPDATED);
  }

  async #settleTrust(): Promise<void> {
    if (!this.#isTrusted) {
      const { projectDir } = this.place;
      this.#say(
        `Mux runs hooks of ${visible(projectDir)} once they are trusted: "mux-hooks trust --show" lists them, and "mux-hooks trust" allows them.`
      );
      return;
    }
    const recorded = await trustAsWritten(this.place, new Date());
    recorded?.match(
      (path) => {
        this.#tick(`Trusted as written, for Mux (${this.#nameOf(path)})`);
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
    this.#say(
      `git does not ignore ${seen.join(" or ")}: keep what is for you alone out of commits.`
    );
  }

  async #printNext(): Promise<void> {
    const { runtime, projectDir } = this.place;
    const isReady = await isInRepository(runtime, projectDir);
    const steps = isReady ? NEXT_STEPS : [GIT_FIRST, ...NEXT_STEPS];
    this.#say("\nNext:");
    for (const [i, step] of steps.entries()) this.#say(`  ${i + 1}. ${step}`);
  }

  /** Returns the path as the user would write it in the current folder. */
  #nameOf(path: string): string {
    const { cwd, home } = this.context;
    const relative = posix.relative(cwd, path);
    return visible(relative.startsWith("../") ? shortPath(path, cwd, home) : relative);
  }

  #say(line: string): void {
    this.context.stdout.write(`${line}\n`);
  }

  #tick(line: string): void {
    const { stdout, env } = this.context;
    this.#say(`${styleFor(stdout, env).green("✓")} ${line}`);
  }

  #fail(problem: string): void {
    this.#code = printError(this.context, problem);
  }
}
