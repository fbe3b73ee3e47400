/** Releasing a smaller chunk is not worth the call. */
const WORTH_IT_BYTES = 2048;

/** Also the type of a browser's port, which a host may have in its place. */
interface Port {
  close(): void;
  postMessage(message: undefined, transfer: ArrayBuffer[]): void;
}

let nowhere: Port | undefined;

/**
 * Frees a chunk from a pipe now, not at the next garbage collection: V8 lets 32 MiB of such buffers accumulate first
 * (H20). A message to a closed port takes ownership of the buffer, as the standard requires, and is dropped with it.
 * The chunk is empty afterwards.
 */
export function releaseBuffer(chunk: Buffer): void {
  const { buffer } = chunk;
  // A slice of a shared pool must not be emptied. A chunk from a pipe has a buffer of its own.
  if (chunk.length < WORTH_IT_BYTES || buffer.byteLength !== chunk.length) return;
  if (nowhere === undefined) {
    // The global class: `node:worker_threads` takes several milliseconds to load.
    nowhere = new MessageChannel().port1;
    nowhere.close();
  }
  if (buffer instanceof ArrayBuffer) nowhere.postMessage(undefined, [buffer]);
}
