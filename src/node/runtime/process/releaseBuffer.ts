import type { MessagePort } from "node:worker_threads";

/** Below this a chunk is not worth the call. */
const WORTH_IT_BYTES = 2048;

let nowhere: MessagePort | undefined;

/**
 * Frees a chunk that a pipe has delivered, now and not when the garbage collector comes to it: V8 lets 32 MiB of such
 * buffers pile up before it looks (H20). A message to a closed port takes over what is transferred, as the standard
 * has it, and is dropped with it. The chunk is empty afterwards.
 */
export function releaseBuffer(chunk: Buffer): void {
  const { buffer } = chunk;
  // A slice of a shared pool is not ours to empty; what a pipe delivers has a buffer of its own.
  if (chunk.length < WORTH_IT_BYTES || buffer.byteLength !== chunk.length) return;
  if (nowhere === undefined) {
    nowhere = new MessageChannel().port1;
    nowhere.close();
  }
  if (buffer instanceof ArrayBuffer) nowhere.postMessage(undefined, [buffer]);
}
