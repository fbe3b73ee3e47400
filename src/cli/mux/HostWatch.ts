/** Whether what was started has led to a Mux: without one, nothing would say that no hooks run. */
import { access, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CliContext } from "@/cli/context";
import { complain } from "@/cli/render/complain";
import { SEEN_VARIABLE } from "@/host/announce";

const LIMIT_MS = 60_000;

export class HostWatch {
  static async begin(context: CliContext): Promise<HostWatch> {
    return new HostWatch(await mkdtemp(join(tmpdir(), "mux-hooks-attach-")), context);
  }

  readonly #timer: NodeJS.Timeout;
  #hasTold = false;

  private constructor(
    private readonly folder: string,
    private readonly context: CliContext
  ) {
    this.#timer = setTimeout(() => {
      void this.#tell("no Mux has started yet, so no hooks run");
    }, LIMIT_MS).unref();
  }

  /** For what is started. */
  get env(): NodeJS.ProcessEnv {
    return { [SEEN_VARIABLE]: this.#file };
  }

  /** It has ended. */
  async finish(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#tell("no Mux was started, so no hooks ran: attach to the command that starts Mux");
    await rm(this.folder, { recursive: true, force: true });
  }

  get #file(): string {
    return join(this.folder, "seen");
  }

  async #tell(text: string): Promise<void> {
    const isSeen = await access(this.#file).then(
      () => true,
      () => false
    );
    if (isSeen || this.#hasTold) return;
    this.#hasTold = true;
    complain(this.context, text);
  }
}
