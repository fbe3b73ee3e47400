/** Listeners that cannot harm each other, nor whoever tells them something. */
export class Listeners<Event> {
  readonly #listeners = new Set<(event: Event) => void>();

  /** Answers with the way to end it. Added twice, a listener is told twice. */
  add(listener: (event: Event) => void): () => void {
    const own = (event: Event): void => {
      listener(event);
    };
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
    };
  }

  emit(event: Event): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(event);
      } catch {
        // Whoever listens has failed; what is told has happened all the same.
      }
    }
  }
}
