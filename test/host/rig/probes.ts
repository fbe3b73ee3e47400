/** Code for a host to load, which observes or delays it. */
import { join } from "node:path";

/** Writes whether listeners receive the end of a turn before the host's own call returns. */
export function watchTurnEnds(dist: string, file: string): string {
  return `
    const { AIService } = require(${quote(join(dist, "node/services/aiService.js"))});
    const { emit } = AIService.prototype;
    AIService.prototype.emit = function (event, ...args) {
      if (event !== "stream-end") return emit.call(this, event, ...args);
      let heard = "later";
      this.once("stream-end", () => (heard = "at once"));
      const result = emit.call(this, event, ...args);
      require("node:fs").writeFileSync(${quote(file)}, heard);
      return result;
    };`;
}

/**
 * Writes for how many milliseconds the event loop was blocked at most, between two SIGUSR2. The time that the process
 * waited for a processor does not count if the system reports it.
 */
export function watchEventLoop(file: string): string {
  return `
    const fs = require("node:fs");
    const now = () => {
      try {
        const [, waited] = fs.readFileSync("/proc/self/schedstat", "latin1").split(" ");
        return performance.now() - Number(waited) / 1e6;
      } catch {
        return performance.now();
      }
    };
    let longest, last, timer;
    const begin = () => {
      longest = 0;
      last = now();
      timer = setInterval(() => {
        const next = now();
        longest = Math.max(longest, next - last - 1);
        last = next;
      }, 1);
    };
    const end = () => {
      clearInterval(timer);
      timer = undefined;
      fs.writeFileSync(${quote(file)}, String(longest));
    };
    process.on("SIGUSR2", () => (timer === undefined ? begin() : end()));`;
}

function quote(text: string): string {
  return JSON.stringify(text);
}
