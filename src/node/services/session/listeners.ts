/** Listeners that cannot affect each other or the emitter. */
export class Listeners<Event> {
  readonly #listeners = new Set<(event: Event) => void>();

  /** Returns a function that removes the listener. A listener that is added twice is called twice. */
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
        // A failed listener is ignored: the event has happened anyway.
      }
    }
  }
}
