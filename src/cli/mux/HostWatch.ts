/** Warns if a launcher did not start Mux, because then no hooks run. */
import { access, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CliContext, printError } from "@/cli/context";
import { SEEN_VARIABLE } from "@/host/loading/announce";

const LIMIT_MS = 60_000;

export class HostWatch {
  static async begin(context: CliContext): Promise<HostWatch> {
    return new HostWatch(await mkdtemp(join(tmpdir(), "mux-hooks-attach-")), context);
  }

  readonly #timer: NodeJS.Timeout;
  #hasWarned = false;

  private constructor(
    private readonly folder: string,
    private readonly context: CliContext
  ) {
    this.#timer = setTimeout(() => {
      void this.#warnUnlessSeen("Mux has not started yet, so no hooks run");
    }, LIMIT_MS).unref();
  }

  /** The environment for the launcher. */
  get env(): NodeJS.ProcessEnv {
    return { [SEEN_VARIABLE]: this.#file };
  }

  /** Ends the watch after the launcher has exited. Warns if no host was started. @returns whether one was */
  async finish(): Promise<boolean> {
    clearTimeout(this.#timer);
    const isSeen = await this.#warnUnlessSeen(
      "the command ended without starting Mux, so no hooks ran; attach to the command that starts Mux"
    );
    await rm(this.folder, { recursive: true, force: true });
    return isSeen;
  }

  get #file(): string {
    return join(this.folder, "seen");
  }

  async #warnUnlessSeen(text: string): Promise<boolean> {
    const isSeen = await access(this.#file).then(
      () => true,
      () => false
    );
    if (isSeen || this.#hasWarned) return isSeen;
    this.#hasWarned = true;
    printError(this.context, text);
    return false;
  }
}
