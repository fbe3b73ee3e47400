import { MAX_CHECKOUT_BYTES, MAX_CHECKOUT_FILES, MIB } from "@/common/limits";

/** The bytes and files that one load may still read of a checkout's settings, imported files and plugins (H5). */
export class CheckoutBudget {
  readonly #paths = new Set<string>();
  #bytes = MAX_CHECKOUT_BYTES;

  /** Returns why a file is not read. Otherwise counts it, once for each path. */
  refuse(path: string, size: number): string | undefined {
    if (this.#paths.has(path)) return undefined;
    if (size > this.#bytes || this.#paths.size >= MAX_CHECKOUT_FILES) {
      return `not read: the settings files, imported files and plugins of a checkout may have at most ${MAX_CHECKOUT_BYTES / MIB} MiB in ${MAX_CHECKOUT_FILES} files; remove some of them`;
    }
    this.#paths.add(path);
    this.#bytes -= size;
    return undefined;
  }
}
