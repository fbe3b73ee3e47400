/** Shows the user what hooks did: as a toast, in opencode's log, and in `opencode run` on standard error. */
import { describeError } from "@/common/errors";
import { clip, plainText } from "@/common/text";
import type { OpencodeClient, Reply, Toast } from "@/opencode/opencodeTypes";
import type { UserPlace } from "@/wiring";

/** The title of a toast, and the beginning of a line on standard error. */
const TITLE = "mux-stop-hooks";

const MAX_TOAST_CHARS = 400;
const TOAST_MS = 8_000;

export class Notices {
  constructor(
    private readonly client: OpencodeClient,
    /** Prints a line for the user of `opencode run`, which shows no toasts. */
    private readonly print?: (line: string) => void
  ) {}

  /** Shows a text everywhere. */
  show(variant: Toast["variant"], text: string): void {
    const message = plainText(text);
    this.toast(variant, message);
    const level = variant === "warning" ? "warn" : variant;
    void settled(() => this.client.app.log({ body: { service: TITLE, level, message } }));
    this.print?.(`${TITLE}: ${message}`);
  }

  /** Shows a text that is of no interest later, such as a progress. */
  toast(variant: Toast["variant"], text: string): void {
    const message = clip(plainText(text), MAX_TOAST_CHARS);
    const body = { title: TITLE, message, variant, duration: TOAST_MS };
    void settled(() => this.client.tui.showToast({ body }));
  }

  /** Prints the text of the agent that `opencode run` does not print. */
  printOnly(text: string): void {
    this.print?.(`${TITLE}: ${plainText(text)}`);
  }
}

/** A user who cannot be notified is no reason to change what hooks do. */
async function settled(request: () => Promise<unknown>): Promise<void> {
  try {
    await request();
  } catch {
    // opencode has no interface to notify, or is about to end.
  }
}

export interface PluginInstance {
  readonly client: OpencodeClient;
  readonly directory: string;
  readonly place: UserPlace;
  readonly notices: Notices;
}

/** Returns the data of an answer of opencode. @throws if the request failed */
export function dataOf<T>(request: string, { data, error }: Reply<T>): T {
  if (data === undefined)
    throw new Error(`the request ${request} to opencode failed: ${describeReply(error)}`);
  return data;
}

/** Describes the `error` of an answer. */
export function describeReply(error: unknown): string {
  return typeof error === "object" && error !== null ? JSON.stringify(error) : describeError(error);
}
