/** Starts the programs of hooks as a host would, each of them once. Reads about those of the project. */
import { realpath } from "node:fs/promises";
import { nameIn, type Trial } from "@/cli/gauntlet/doctor/report";
import type { HookHost, InstalledHook } from "@/cli/gauntlet/hosts/types";
import type { InitPlace } from "@/cli/gauntlet/init/hooks/hookPlan";
import {
  CLONE_PROGRAMS,
  execAsHost,
  findInstalled,
  isPortable,
  PACKAGE_NAME,
  parseNodeScript,
  TRY_MS,
  type NodeScript,
} from "@/cli/gauntlet/init/hooks/hookProgram";
import { clip, firstLine, visible } from "@/common/text";
import type { ExecResult } from "@/node/runtime/HookRuntime";

const SHOWN_CHARS = 200;
const EDITED = "it is not one that init writes (it may have been edited)";
const VERSION = /^\d[\w.+-]{0,40}$/;

export class ProgramTrials {
  readonly #trials = new Map<string, Promise<Trial>>();

  constructor(private readonly place: InitPlace) {}

  /** Returns undefined if the host starts no program. */
  async of(hook: InstalledHook, { install }: HookHost): Promise<Trial | undefined> {
    const { program, layer, missing } = hook;
    const { engine } = install;
    if (engine !== undefined) {
      const path = engine.pathOf?.(program ?? "", layer.file.path);
      if (path === undefined) return undefined;
      if (missing === undefined) return await engine.tryPath?.(path, this.place);
      const text = `imports ${nameIn(this.place, path)}, which does not exist`;
      return { kind: "problem", text: (place) => `the plugin file ${place} ${text}` };
    }
    const isClone = CLONE_PROGRAMS.includes(program ?? "");
    if (program === undefined) return notTried(EDITED);
    if (missing !== undefined && !isClone) return fails(`${visible(missing)} does not exist`);
    const trial = this.#trials.get(program) ?? this.#try(program);
    this.#trials.set(program, trial);
    return await trial;
  }

  async #try(program: string): Promise<Trial> {
    if (CLONE_PROGRAMS.includes(program)) return await this.#find(program);
    if (!isPortable(program)) {
      const script = parseNodeScript(program);
      if (script === undefined) return notTried(EDITED);
      if (await this.#isOfProject(script)) return notTried("it starts a program of this project");
    }
    const help = await execAsHost(this.place, `${program} stop-hook --help`);
    const failure = describeFailure(help);
    if (failure !== undefined) return fails(failure);
    const { stdout } = await execAsHost(this.place, `${program} --version`);
    const line = stdout.text.trim();
    const version = VERSION.test(line) ? line : undefined;
    if (help.stdout.text.includes("--verify")) {
      return found(`its command starts${version === undefined ? "" : ` version ${version}`}`);
    }
    const old = version === undefined ? "an old version" : `the old version ${version}`;
    const text = `${old} of mux-stop-hooks, which does not have --verify`;
    return { kind: "problem", text: (place) => `the command in ${place} starts ${text}` };
  }

  async #find(program: string): Promise<Trial> {
    const manifest = await findInstalled(this.place, program);
    if (manifest === undefined)
      return fails(`node_modules does not have ${PACKAGE_NAME} with its program`);
    const version = String(manifest.version);
    const text = "its program is installed in the project";
    return found(VERSION.test(version) ? `${text}, version ${version}` : text);
  }

  /** Returns whether a repository may have brought the program. A diagnosis must not run it. */
  async #isOfProject({ node, script }: NodeScript): Promise<boolean> {
    const { projectDir, program } = this.place;
    const [own, real] = await Promise.all(
      [program, script].map((path) => realpath(path).catch(() => path))
    );
    const isInside = (path = ""): boolean => path.startsWith(`${projectDir}/`);
    return isInside(node) || (own !== real && (isInside(script) || isInside(real)));
  }
}

const found = (text: string): Trial => ({ kind: "good", text: () => text });
const notTried = (why: string): Trial => ({
  kind: "info",
  text: () => `its command was not tried, because ${why}`,
});
const fails = (why: string): Trial => ({
  kind: "problem",
  text: (place) => `the command in ${place} does not work: ${why}`,
});

function describeFailure({ end, stderr }: ExecResult): string | undefined {
  const line = visible(clip(firstLine(stderr.text.trim()), SHOWN_CHARS));
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
