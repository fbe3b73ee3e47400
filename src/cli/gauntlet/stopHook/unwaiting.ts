/**
 * Descriptors whose reads fail with EAGAIN instead of waiting. Known to work on Linux; on other systems this throws or
 * fails.
 */
import { closeSync, constants, openSync, readSync } from "node:fs";

const { O_NONBLOCK, O_RDONLY } = constants;

/** Opens the pipe anew, so that other holders of the descriptor are not affected. */
export function unwaitingPipe<T>(descriptor: number, use: (pipe: number) => T): T {
  const pipe = openSync(`/proc/self/fd/${descriptor}`, O_RDONLY | O_NONBLOCK);
  try {
    return use(pipe);
  } finally {
    closeSync(pipe);
  }
}

/**
 * Makes a socket non-blocking. A socket cannot be opened anew. `net` also makes it non-blocking, but takes 3 ms to load
 * with its streams, so this calls the binding below it. That binding is internal and may change, so the kernel's flags
 * decide whether it worked. Node itself switches the descriptor back when it ends.
 */
export function unwaitingSocket(descriptor: number): boolean {
  const { Pipe, constants: kinds } = (process as unknown as Bindings).binding("pipe_wrap");
  new Pipe(kinds.SOCKET).open(descriptor);
  const [, flags = "0"] = /^flags:\s*(\d+)$/m.exec(descriptorInfo(descriptor)) ?? [];
  return (Number.parseInt(flags, 8) & O_NONBLOCK) !== 0;
}

/** Reads the descriptor's information. The first call of `readFileSync` would take three times as long. */
function descriptorInfo(descriptor: number): string {
  const file = openSync(`/proc/self/fdinfo/${descriptor}`, O_RDONLY);
  try {
    const info = Buffer.alloc(256);
    return info.toString("latin1", 0, readSync(file, info));
  } finally {
    closeSync(file);
  }
}

interface Bindings {
  binding(name: "pipe_wrap"): {
    readonly Pipe: new (kind: number) => { open(descriptor: number): void };
    readonly constants: { readonly SOCKET: number };
  };
}
