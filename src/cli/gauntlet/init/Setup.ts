/**
 * Carries out for `init` what the user selected, and prints each step: creates the configuration or adds checks to it,
 * installs the hooks, records trust in both, and lets git ignore personal files if the user agrees. Has the messages
 * about created files, which `init --ci` prints as well.
 */
import * as messages from "@/cli/gauntlet/messages/shared";
import { shownCommand } from "@/common/ownCommandName";
import { copyFile, mkdir } from "node:fs/promises";
import { posix } from "node:path";
import type { Result } from "neverthrow";
import { type CliContext, printError, EXIT, type ExitCode } from "@/cli/context";
import { SHARED_MODE, editSettings, type SettingsEdit } from "@/cli/settingsFile";
import type { FirstCheck, NewFile } from "@/cli/gauntlet/init/configText";
import { codexHost } from "@/cli/gauntlet/hosts/codex/index";
import { trustInCodex } from "@/cli/gauntlet/hosts/codex/trust";
import type { HookHost } from "@/cli/gauntlet/hosts/types";
import { describeExposure } from "@/cli/gauntlet/init/hooks/gitExposure";
import type { InstallPlan } from "@/cli/gauntlet/init/hooks/planHook";
import type { InitPlace } from "@/cli/gauntlet/init/targetProject";
import { ensureCopy } from "@/cli/gauntlet/init/hooks/packageCopy";
import type { PlannedHost, Schemas } from "@/cli/gauntlet/init/InitPlan";
import { trustAsWritten } from "@/cli/gauntlet/init/hooks/hookTrust";
import { areSame, readGates, readTrust, type FoundGates } from "@/cli/gauntlet/trust/gateTrust";
import { pathForUser, shortPath } from "@/cli/render/formatText";
import { styleFor } from "@/cli/render/style";
import { visible } from "@/common/safeText";
import { CONFIG_FILE } from "@/node/services/gauntlet/config/configPaths";
import { jobId } from "@/node/services/gauntlet/domain/gate";
import { notePass } from "@/node/services/gauntlet/known/failureStore";
import { isInRepository } from "@/node/services/gauntlet/change/git/initFacts";
import { recordStartingCommit } from "@/node/services/gauntlet/run/plan/runRepository";
import { beginGates, trustGates } from "@/node/services/hooks/index";
import { findTrustStore, trustedAs } from "@/wiring";
import { confirm } from "@/cli/render/confirm";
import { commonGitDir, findWorkingTree } from "@/node/services/gauntlet/turn/readGitFolder";
import { notWritable } from "@/cli/messages/shared";

/** Sets up one project step by step, and prints each step. Never overwrites existing content. */
export class Setup {
  /** The edits of settings files that were made. */
  readonly #written: SettingsEdit[] = [];
  /** The titles of the selected hosts that run the hooks of the checkout only with trust. */
  readonly #needTrust = new Set<string>();
  #code: ExitCode = EXIT.ok;
  #wroteConfig = false;
  /** Files of the configuration that this setup created, by path relative to the project. */
  readonly #created = new Set<string>();
  /** Whether the configuration has only the example check. */
  #isExample = false;

  /**
   * @param options.trustCodex whether to record in Codex that the user trusts its hook
   * @param options.asks whether the user can be asked
   */
  constructor(
    private readonly place: InitPlace,
    private readonly context: CliContext,
    private readonly options: { readonly trustCodex: boolean; readonly asks: boolean },
    /** Whether everything that would run was trusted before, or is written by this setup. */
    private isTrusted: boolean
  ) {}

  /** Reports that the project has a configuration, which stays as it is. */
  keepConfig(): void {
    const path = posix.join(this.place.projectDir, CONFIG_FILE);
    this.#print(alreadyExists(this.#nameOf(path)));
  }

  /** Creates the files, the configuration last. A check that exists already stays as it is. */
  async writeConfig(files: readonly NewFile[], isExample: boolean): Promise<void> {
    if (!(await this.#create(files))) return;
    this.#isExample = isExample;
    this.#tick("Configuration created");
  }

  /** Creates files, and returns false if one cannot be written. */
  async #create(files: readonly NewFile[]): Promise<boolean> {
    const { runtime, projectDir } = this.place;
    for (const { path: name, text } of files) {
      const path = posix.join(projectDir, name);
      const written = await runtime.createFile(path, text, { mode: SHARED_MODE });
      if (written.isOk()) {
        this.#created.add(name);
        this.#print(creating(this.#nameOf(path)));
      } else if (written.error.code === "EEXIST") {
        this.isTrusted = false;
        this.#print(alreadyExists(this.#nameOf(path)));
      } else {
        this.#fail(notWritable(written.error.path, written.error.message));
        return false;
      }
    }
    this.#wroteConfig = true;
    return true;
  }

  /** Adds checks to the configuration, which stays trusted if it was. */
  async addChecks(files: readonly NewFile[], edit: SettingsEdit): Promise<void> {
    const { runtime, projectDir } = this.place;
    const { files: before } = await readGates(runtime, projectDir);
    const wasTrusted = await this.#areTrusted(before);
    if (!(await this.#create(files))) return;
    this.#print(messages.updating(this.#nameOf(edit.path)));
    const edited = await editSettings(runtime, edit, projectDir);
    if (edited.isErr()) this.#fail(edited.error);
    else this.#tick("Checks added to the configuration");
    if (edited.isOk() && wasTrusted)
      for (const path of Object.keys(before)) this.#created.add(path);
  }

  /** Records which checks passed in their trial, so that a later failure is not taken for an old one (G45). */
  async notePasses(checks: readonly FirstCheck[]): Promise<void> {
    const { runtime, projectDir } = this.place;
    const tree = await findWorkingTree(runtime, projectDir);
    if (tree === undefined) return;
    const commonDir = await commonGitDir(runtime, tree.gitDir);
    const inside = posix.relative(tree.root, projectDir);
    const context = { commonDir, prefix: inside === "" ? "" : `${inside}/` };
    for (const { name, folder, trial } of checks) {
      if (trial?.kind !== "passed") continue;
      await notePass(runtime, context, jobId({ kind: "check", name }, folder));
    }
  }

  async #areTrusted(files: FoundGates["files"]): Promise<boolean> {
    const { runtime, projectDir } = this.place;
    const store = await findTrustStore(runtime, this.place);
    const trust = store && (await readTrust(store, runtime, projectDir));
    return trust?.isOk() === true && trust.value.sets.some((set) => areSame(set.files, files));
  }

  /** Copies the JSON Schemas for editors. They are only help, so a failure is not reported. */
  async copySchemas({ folder, copied }: Schemas): Promise<void> {
    for (const from of copied) {
      const to = posix.join(this.place.projectDir, folder, posix.basename(from));
      await mkdir(posix.dirname(to), { recursive: true }).catch(() => undefined);
      await copyFile(from, to).catch(() => undefined);
    }
  }

  /** Installs or updates the hook of a host, or reports that it is installed already. */
  async installHook({ host, plan }: PlannedHost): Promise<void> {
    if (host.install.engine !== undefined) this.#needTrust.add(host.install.title);
    const { installedAt, edits, advice } = plan;
    if (installedAt === undefined || edits.isErr() || edits.value.length > 0) {
      await this.#write(host, plan);
      return;
    }
    const { projectDir, home } = this.place;
    const at = shortPath(installedAt, projectDir, home);
    this.#print(`The ${host.install.title} Stop hook is already installed: ${at}`);
    if (advice !== undefined) this.#print(advice);
  }

  async trustCodex(): Promise<void> {
    const trusted = await trustInCodex(codexHost, this.place);
    if (trusted.isErr()) this.#fail(trusted.error);
    else {
      const hooks = trusted.value === 1 ? "the hook" : `${trusted.value} hooks`;
      this.#tick(`Codex now trusts ${hooks} of the gauntlet`);
    }
  }

  /** Adds the line for agents to their instructions. */
  async addNote(note: SettingsEdit): Promise<void> {
    const { runtime, projectDir } = this.place;
    const [stat] = await runtime.stat([note.path]);
    const describe = stat?.kind === "missing" ? creating : messages.updating;
    this.#print(describe(this.#nameOf(note.path)));
    const edited = await editSettings(runtime, note, projectDir);
    if (edited.isErr()) this.#fail(edited.error);
  }

  /** Does the remaining steps once everything is written. */
  async finish(): Promise<ExitCode> {
    // This precedes the record of the starting commit, which would look like an earlier use of gates without trust.
    await this.#settleGates();
    await recordStartingCommit(this.place);
    if (this.#needTrust.size > 0) await this.#settleTrust([...this.#needTrust].join(" and "));
    const hide = (names: readonly string[]): Promise<boolean> => this.#hideFromGit(names);
    for (const line of await describeExposure(this.place, this.#written, hide)) this.#print(line);
    if (this.#wroteConfig) await this.#printNext();
    return this.#code;
  }

  /** Adds personal files to git's own list of ignored files, which is not committed, if the user agrees. */
  async #hideFromGit(names: readonly string[]): Promise<boolean> {
    const { runtime, projectDir } = this.place;
    const tree = await findWorkingTree(runtime, projectDir);
    if (!this.options.asks || tree === undefined) return false;
    const exclude = posix.join(await commonGitDir(runtime, tree.gitDir), "info/exclude");
    const question = `git does not ignore ${names.join(" and ")}. Let git ignore ${names.length === 1 ? "it" : "them"} in this clone (${this.#nameOf(exclude)})?`;
    if (!(await confirm(question, this.context))) return false;
    const prefix = posix.relative(tree.root, projectDir);
    const lines = names.map((name) => `/${posix.join(prefix, name)}\n`);
    const appended = await runtime.appendFile(exclude, `\n${lines.join("")}`, { mode: 0o644 });
    if (appended.isErr()) this.#fail(notWritable(exclude, appended.error.message));
    return appended.isOk();
  }

  async #write(
    host: HookHost,
    { installedAt, edits, advice, nextStep }: InstallPlan
  ): Promise<void> {
    if (edits.isErr()) {
      this.#fail(edits.error);
      return;
    }
    const paths = edits.value.map(({ path }) => path);
    let done: Result<unknown, string> = await ensureCopy(this.place, paths);
    for (const [i, edit] of edits.value.entries()) {
      if (done.isErr()) break;
      const [stat] = await this.place.runtime.stat([edit.path]);
      const describe = stat?.kind === "missing" ? creating : messages.updating;
      if (paths.indexOf(edit.path) === i) this.#print(describe(this.#nameOf(edit.path)));
      done = await editSettings(this.place.runtime, edit, this.place.projectDir);
    }
    if (done.isErr()) {
      this.#fail(
        `${done.error}\nThe ${host.install.title} Stop hook is not installed; fix this, then run "${shownCommand()} init --hook ${host.name}" again.`
      );
      return;
    }
    this.#written.push(...edits.value);
    this.#tick(
      installedAt === undefined
        ? "Stop hook installed - gauntlet will run automatically when agent stops"
        : "Stop hook updated - the gauntlet runs at every stop, and each message from you resets the number of attempts"
    );
    if (advice !== undefined) this.#print(advice);
    if (nextStep !== undefined && !this.options.trustCodex) this.#print(nextStep);
  }

  /** Trusts the checks as they were written, because the user has chosen them (G24a). */
  async #settleGates(): Promise<void> {
    const { runtime, projectDir } = this.place;
    const store = await findTrustStore(runtime, this.place);
    const { loaded, files } = await readGates(runtime, projectDir);
    if (store === undefined || loaded.kind !== "valid") return;
    const isOwn = Object.keys(files).every((path) => this.#created.has(path));
    const name = trustedAs(runtime, projectDir);
    const begun = isOwn
      ? await trustGates(store, name, files, new Date())
      : await beginGates(store, new Date());
    if (begun.isErr()) this.#fail(begun.error);
    if (isOwn) return;
    if (this.#wroteConfig) this.isTrusted = false;
    if (!(await this.#areTrusted(files)))
      this.#print(
        `Some files in .gauntlet/ were there before; run "${shownCommand()} trust" in ${visible(projectDir)} to see and allow their commands.`
      );
  }

  /** Trusts the written hooks, or prints how to trust them. `titles` names the hosts that need it. */
  async #settleTrust(titles: string): Promise<void> {
    if (!this.isTrusted) {
      const { projectDir } = this.place;
      this.#print(
        `${titles} ${this.#needTrust.size === 1 ? "does" : "do"} not run the hooks of ${visible(projectDir)} until you trust them: run "${shownCommand()} hooks trust --show" to list them, then "${shownCommand()} hooks trust" to trust them.`
      );
      return;
    }
    if (!this.#wroteConfig && this.#written.length === 0) return;
    const recorded = await trustAsWritten(this.place, new Date());
    if (recorded?.isErr() === true) this.#fail(recorded.error);
    if (recorded?.isOk() !== true) return;
    const record = this.#nameOf(recorded.value);
    this.#tick(messages.trustedAsWritten(record, titles, this.#needTrust.size));
  }

  async #printNext(): Promise<void> {
    const { runtime, projectDir } = this.place;
    const isReady = await isInRepository(runtime, projectDir);
    const steps = [
      !isReady &&
        'Run "git init": gates run on changed files, and this folder is not in a git repository.',
      this.#isExample &&
        `Add your linter, type checker and tests to ${CONFIG_FILE}, one line each.`,
      `Run "${shownCommand()} run" to see the gates pass.`,
      "Commit .gauntlet, so that every clone has the same gates.",
    ].filter((step) => step !== false);
    this.#print(`\nNext:`);
    for (const [i, step] of steps.entries()) this.#print(`  ${i + 1}. ${step}`);
  }

  #nameOf(path: string): string {
    return pathForUser(path, this.context);
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

export function alreadyExists(file: string): string {
  return `${file} already exists and is not changed.`;
}

export function creating(file: string): string {
  return `Creating ${file}...`;
}
