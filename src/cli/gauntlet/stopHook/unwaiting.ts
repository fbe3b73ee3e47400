/** Descriptors that fail with EAGAIN where a read would have to wait. Known to work on Linux; elsewhere it throws or fails. */
import { closeSync, constants, openSync, readSync } from "node:fs";

const { O_NONBLOCK, O_RDONLY } = constants;

/** Opened anew, so whoever shares the old descriptor notices nothing. */
export function unwaitingPipe<T>(descriptor: number, use: (pipe: number) => T): T {
  const pipe = openSync(`/proc/self/fd/${descriptor}`, O_RDONLY | O_NONBLOCK);
  try {
    return use(pipe);
  } finally {
    closeSync(pipe);
  }
}

/**
 * A socket cannot be opened anew, and to switch it over is what `net` begins with; but `net` and its streams take 3 ms
 * to load, so the binding below it is asked. Whether it did so is the kernel's to say, not that binding's: it is
 * internal, and may change. Node itself switches the descriptor back when it ends.
 */
export function unwaitingSocket(descriptor: number): boolean {
  const { Pipe, constants: kinds } = (process as unknown as Bindings).binding("pipe_wrap");
  new Pipe(kinds.SOCKET).open(descriptor);
  const [, flags = "0"] = /^flags:\s*(\d+)$/m.exec(descriptorInfo(descriptor)) ?? [];
  return (Number.parseInt(flags, 8) & O_NONBLOCK) !== 0;
}

/** The first call of `readFileSync` takes three times as long. */
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
