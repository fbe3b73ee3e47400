/** Starts the programs of hooks as a host would, each of them once. Reads about those of the project. */
import { realpath } from "node:fs/promises";
import type { InitPlace } from "@/cli/gauntlet/init/hooks/hookPlan";
import { findInstalled, PACKAGE_NAME } from "@/cli/gauntlet/init/hooks/cloneProgram";
import {
  CLONE_PROGRAMS,
  execAsHost,
  isPortable,
  parseNodeScript,
  TRY_MS,
  type NodeScript,
} from "@/cli/gauntlet/init/hooks/hookProgram";
import { clip, firstLine, visible } from "@/common/text";
import type { ExecResult } from "@/node/runtime/HookRuntime";
import * as messages from "@/cli/gauntlet/messages/doctor";

export type Trial =
  | { readonly kind: "starts"; readonly version?: string }
  /** In the project, which may have brought the program, so that it was not started. */
  | { readonly kind: "installed"; readonly version?: string }
  /** Without `--verify`. */
  | { readonly kind: "tooOld"; readonly version?: string }
  | { readonly kind: "fails"; readonly why: string }
  | { readonly kind: "notTried"; readonly why: string };

const SHOWN_CHARS = 200;
const VERSION = /^\d[\w.+-]{0,40}$/;

export class ProgramTrials {
  readonly #trials = new Map<string, Promise<Trial>>();

  constructor(private readonly place: InitPlace) {}

  /** @param program the words that start the gauntlet; undefined if `init` did not write the command */
  async of(program: string | undefined): Promise<Trial> {
    if (program === undefined) return { kind: "notTried", why: messages.NOT_TRIED };
    const trial = this.#trials.get(program) ?? this.#try(program);
    this.#trials.set(program, trial);
    return await trial;
  }

  async #try(program: string): Promise<Trial> {
    if (CLONE_PROGRAMS.includes(program)) return await this.#find(program);
    if (!isPortable(program)) {
      const script = parseNodeScript(program);
      if (script === undefined) return { kind: "notTried", why: messages.NOT_TRIED };
      const missing = await findMissing(this.place, script);
      if (missing !== undefined) {
        return { kind: "fails", why: messages.doesNotExist(visible(missing)) };
      }
      if (await this.#isOfProject(script)) {
        return { kind: "notTried", why: messages.NOT_TRIED_IN_PROJECT };
      }
    }
    const help = await execAsHost(this.place, `${program} stop-hook --help`);
    const failure = describeFailure(help);
    if (failure !== undefined) return { kind: "fails", why: failure };
    const version = await this.#versionOf(program);
    const kind = help.stdout.text.includes("--verify") ? "starts" : "tooOld";
    return { kind, ...(version !== undefined && { version }) };
  }

  async #find(program: string): Promise<Trial> {
    const manifest = await findInstalled(this.place, program);
    if (manifest === undefined) return { kind: "fails", why: messages.notInstalled(PACKAGE_NAME) };
    const version = String(manifest.version);
    return { kind: "installed", ...(VERSION.test(version) && { version }) };
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

  async #versionOf(program: string): Promise<string | undefined> {
    const { stdout } = await execAsHost(this.place, `${program} --version`);
    const line = stdout.text.trim();
    return VERSION.test(line) ? line : undefined;
  }
}

/** Returns the first path of the command that does not exist. */
export async function findMissing(
  { runtime }: Pick<InitPlace, "runtime">,
  { node, script }: NodeScript
): Promise<string | undefined> {
  const paths = node.startsWith("/") ? [node, script] : [script];
  const stats = await runtime.stat(paths);
  return paths.find((_, i) => stats[i]?.kind === "missing");
}

function describeFailure({ end, stderr }: ExecResult): string | undefined {
  const line = visible(clip(firstLine(stderr.text.trim()), SHOWN_CHARS));
  switch (end.kind) {
    case "exited":
      return end.code === 0 ? undefined : messages.endedWith(end.code, line);
    case "signaled":
      return messages.endedBySignal(end.signal);
    case "timedOut":
    case "cancelled":
      return messages.didNotEnd(TRY_MS / 1_000);
    case "lost":
    case "notStarted":
      return visible(end.message);
  }
}
