import { posix } from "node:path";
import type { CliContext } from "@/cli/context";
import { complain } from "@/cli/gauntlet/complain";
import { EXIT, type ExitCode } from "@/cli/gauntlet/exitCodes";
import { writeFirstConfig } from "@/cli/gauntlet/init/firstConfig";
import type { HookHost, InitPlace } from "@/cli/gauntlet/init/hookHosts";
import type { Questions } from "@/cli/gauntlet/init/Questions";
import { addToSettings } from "@/cli/gauntlet/init/settingsText";
import { isTrusted, trustAsWritten } from "@/cli/gauntlet/init/trust";
import { shortPath } from "@/cli/render/format";
import { styleFor } from "@/cli/render/style";
import { visible } from "@/common/text";
import { CONFIG_FILE } from "@/node/services/gauntlet/config/configPaths";
import {
  findBaseBranch,
  isInRepository,
  notIgnored,
} from "@/node/services/gauntlet/run/repositoryFacts";

const INSTALLED = "Stop hook installed - gauntlet will run automatically when agent stops";

const GIT_FIRST = 'Run "git init": gates run on what has changed, and this is no git repository.';
const NEXT_STEPS = [
  `Add your linter, type checker and tests: one file each in .gauntlet/checks, named in ${CONFIG_FILE}.`,
  'Run "agent-gauntlet run" to see the gates pass.',
];

/** Sets one project up, step by step, and says what it does. Nothing that is there already is written over. */
export class Setup {
  /** Paths of the person's own settings that were written. */
  readonly #personal: string[] = [];
  #code: ExitCode = EXIT.ok;
  #wroteConfig = false;
  /** Whether all that would run was trusted before, or is written here. */
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
    const { env, home } = context;
    const place = { ...project, env, home };
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

  /** Asks, unless it is installed. */
  async offerHook(host: HookHost, questions: Questions): Promise<void> {
    const installed = await this.#findInstalled(host);
    if (installed || !(await questions.yesOrNo(`Install ${host.title} stop hook?`))) return;
    await this.#write(host);
  }

  async installHook(host: HookHost): Promise<void> {
    if (!(await this.#findInstalled(host))) await this.#write(host);
  }

  /** What is left once everything is written, also where the person has had enough. */
  async finish(signal: AbortSignal): Promise<ExitCode> {
    if (this.#wroteConfig || this.#personal.length > 0) await this.#settleTrust();
    await this.#tellUnignored();
    if (this.#wroteConfig && !signal.aborted) await this.#tellNext();
    return this.#code;
  }

  async #findInstalled(host: HookHost): Promise<boolean> {
    const at = await host.findInstalled(this.place);
    if (at === undefined) return false;
    const { projectDir, home } = this.place;
    this.#say(
      `The ${host.title} stop hook is installed already: ${shortPath(at, projectDir, home)}`
    );
    return true;
  }

  async #write(host: HookHost): Promise<void> {
    const { runtime } = this.place;
    const file = await host.findFile(this.place);
    if (file.isErr()) {
      this.#fail(file.error);
      return;
    }
    const path = file.value;
    const [stat] = await runtime.stat([path]);
    this.#say(`${stat?.kind === "missing" ? "Creating" : "Updating"} ${this.#nameOf(path)}...`);
    const added = await addToSettings(runtime, path, host.handler);
    if (added.isErr()) {
      const advice = `run "agent-gauntlet init --hook ${host.name}" again`;
      this.#fail(
        `${added.error}\nThe ${host.title} stop hook is not installed; mend this, then ${advice}.`
      );
      return;
    }
    this.#personal.push(path);
    this.#tick(INSTALLED);
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

  async #tellUnignored(): Promise<void> {
    if (this.#personal.length === 0) return;
    const { runtime, projectDir } = this.place;
    const names = this.#personal.map((path) => posix.relative(projectDir, path));
    const seen = await notIgnored(runtime, projectDir, names);
    if (seen.length === 0) return;
    this.#say(
      `git does not ignore ${seen.join(" or ")}: keep what is for you alone out of commits.`
    );
  }

  async #tellNext(): Promise<void> {
    const { runtime, projectDir } = this.place;
    const isReady = await isInRepository(runtime, projectDir);
    const steps = isReady ? NEXT_STEPS : [GIT_FIRST, ...NEXT_STEPS];
    this.#say("\nNext:");
    for (const [i, step] of steps.entries()) this.#say(`  ${i + 1}. ${step}`);
  }

  /** As the person would write it from where they are. */
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
    this.#code = complain(this.context, problem);
  }
}
