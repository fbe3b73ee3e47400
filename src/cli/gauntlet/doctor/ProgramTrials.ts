/**
 * Starts the programs of hooks as a host would, each of them once. Reads about those of the project. The text of a problem
 * continues a sentence that begins with the place of the hook.
 */
import { realpath } from "node:fs/promises";
import { good, info, nameIn, problem, type Finding } from "@/cli/gauntlet/doctor/report";
import type { HookHost, InstalledHook } from "@/cli/gauntlet/hosts/types";
import type { InitPlace } from "@/cli/gauntlet/init/place";
import {
  CLONE_PROGRAMS,
  execAsHost,
  findInstalled,
  isPortable,
  PACKAGE_NAME,
  parseNodeScript,
  TRY_MS,
} from "@/cli/gauntlet/init/hooks/hookProgram";
import { clip, firstLine, visible } from "@/common/text";
import type { ExecResult } from "@/node/runtime/HookRuntime";

const EDITED = "it is not one that init writes (it may have been edited)";
const VERSION = /^\d[\w.+-]{0,40}$/;

export class ProgramTrials {
  readonly #trials = new Map<string, Promise<Finding>>();

  constructor(private readonly place: InitPlace) {}

  /** Returns undefined if the host starts no program. */
  async of(
    { program, layer, missing }: InstalledHook,
    { install: { engine } }: HookHost
  ): Promise<Finding | undefined> {
    if (engine !== undefined) {
      const path = engine.pathOf?.(program ?? "", layer.file.path);
      if (path === undefined) return undefined;
      if (missing === undefined) return await engine.tryPath?.(path, this.place);
      return problem(`imports ${nameIn(this.place, path)}, which does not exist`);
    }
    const isClone = CLONE_PROGRAMS.includes(program ?? "");
    if (program === undefined) return notTried(EDITED);
    if (missing !== undefined && !isClone) return fails(`${visible(missing)} does not exist`);
    const trial = this.#trials.get(program) ?? this.#try(program);
    this.#trials.set(program, trial);
    return await trial;
  }

  async #try(program: string): Promise<Finding> {
    if (CLONE_PROGRAMS.includes(program)) {
      const manifest = await findInstalled(this.place, program);
      if (manifest === undefined)
        return fails(`node_modules does not have ${PACKAGE_NAME} with its program`);
      const [version] = VERSION.exec(String(manifest.version)) ?? [];
      const shown = version === undefined ? "" : `, version ${version}`;
      return good(`its program is installed in the project${shown}`);
    }
    if (!isPortable(program)) {
      const script = parseNodeScript(program);
      if (script === undefined) return notTried(EDITED);
      if (await this.#isOfProject(script)) return notTried("it starts a program of this project");
    }
    const help = await execAsHost(this.place, `${program} stop-hook --help`);
    const failure = describeFailure(help);
    if (failure !== undefined) return fails(failure);
    const { stdout } = await execAsHost(this.place, `${program} --version`);
    const [version] = VERSION.exec(stdout.text.trim()) ?? [];
    if (help.stdout.text.includes("--verify")) {
      return good(`its command starts${version === undefined ? "" : ` version ${version}`}`);
    }
    const old = version === undefined ? "an old version" : `the old version ${version}`;
    return problem(`starts ${old} of mux-stop-hooks, which does not have --verify`);
  }

  /** Returns whether a repository may have brought the program. A diagnosis must not run it. */
  async #isOfProject({ node, script }: { node: string; script: string }): Promise<boolean> {
    const { projectDir, program } = this.place;
    const [own, real] = await Promise.all(
      [program, script].map((path) => realpath(path).catch(() => path))
    );
    const isInside = (path = ""): boolean => path.startsWith(`${projectDir}/`);
    return isInside(node) || (own !== real && (isInside(script) || isInside(real)));
  }
}

const notTried = (why: string): Finding => info(`its command was not tried, because ${why}`);
const fails = (why: string): Finding => problem(`does not work: ${why}`);

function describeFailure({ end, stderr }: ExecResult): string | undefined {
  const line = visible(clip(firstLine(stderr.text.trim()), 200));
  switch (end.kind) {
    case "exited":
      return end.code === 0 ? undefined : `exit code ${end.code}${line === "" ? "" : ` (${line})`}`;
    case "signaled":
      return `ended by ${end.signal}`;
    case "timedOut":
    case "cancelled":
      return `it did not finish within ${TRY_MS / 1_000} s`;
    case "lost":
    case "notStarted":
      return visible(end.message);
  }
}
