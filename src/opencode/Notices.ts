/**
 * Shows the user of opencode what hooks did: as a toast, in opencode's log, and in `opencode run` on standard error.
 * Also reads the responses of opencode's client (`dataOf`), and defines what an instance of the plugin uses.
 */
import { describeError } from "@/common/errors";
import { clip, plainText } from "@/common/safeText";
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
    void ignoreFailure(() => this.client.app.log({ body: { service: TITLE, level, message } }));
    this.print?.(`${TITLE}: ${message}`);
  }

  /** Shows a text that is of no interest later, such as a progress. */
  toast(variant: Toast["variant"], text: string): void {
    const message = clip(plainText(text), MAX_TOAST_CHARS);
    const body = { title: TITLE, message, variant, duration: TOAST_MS };
    void ignoreFailure(() => this.client.tui.showToast({ body }));
  }

  /** Prints a text of the agent that `opencode run` does not print itself. */
  printOnly(text: string): void {
    this.print?.(`${TITLE}: ${plainText(text)}`);
  }
}

/** Ignores a failure, because a user who cannot be notified must not change what hooks do. */
async function ignoreFailure(request: () => Promise<unknown>): Promise<void> {
  try {
    await request();
  } catch {
    // opencode has no interface to notify, or is about to end.
  }
}

/** The values that one instance of the plugin uses. */
export interface PluginInstance {
  readonly client: OpencodeClient;
  readonly directory: string;
  readonly place: UserPlace;
  readonly notices: Notices;
}

/** Returns the data of a reply of opencode. @throws if the request failed */
export function dataOf<T>(request: string, { data, error }: Reply<T>): T {
  if (data === undefined)
    throw new Error(`the request ${request} to opencode failed: ${describeReplyError(error)}`);
  return data;
}

/** Describes the `error` of a reply of opencode. */
export function describeReplyError(error: unknown): string {
  return typeof error === "object" && error !== null ? JSON.stringify(error) : describeError(error);
}
