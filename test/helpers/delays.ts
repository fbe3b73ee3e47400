/**
 * Delays one of twenty calls of the file and process ports by up to 300 ms, if `TEST_DELAYS` is a seed: before a program
 * is started, before its end is known, and before a file is written. `make test-flaky` sets it.
 */
import { LocalFiles } from "@/node/runtime/local/LocalFiles";
import { BaseLocalRuntime } from "@/node/runtime/local/BaseLocalRuntime";
import { randomNumbers } from "@test/fuzz/random";

const MAX_DELAY_MS = 300;
const SHARE = 1 / 20;
// A test may replace the timers.
const { setTimeout } = globalThis;

const seed = Number(process.env.TEST_DELAYS ?? 0);
const random = randomNumbers(seed + Number(process.env.VITEST_POOL_ID ?? 0));

async function pause(): Promise<void> {
  if (random() > SHARE) return;
  await new Promise((resolve) => setTimeout(resolve, random() * MAX_DELAY_MS));
}

type Method = (this: unknown, ...args: never[]) => Promise<unknown>;

function delay(owner: object, names: readonly string[]): void {
  const methods = owner as Record<string, Method | undefined>;
  for (const name of names) {
    const method = methods[name];
    if (method === undefined) throw new Error(`there is no method ${name}`);
    methods[name] = async function (...args) {
      await pause();
      const result = await method.apply(this, args);
      await pause();
      return result;
    };
  }
}

// Vitest runs this again for each test file of a worker, with the same classes.
const DELAYED = Symbol.for("mux-stop-hooks delays");
const { prototype } = BaseLocalRuntime;

if (seed > 0 && !(DELAYED in prototype)) {
  Object.assign(prototype, { [DELAYED]: true });
  delay(LocalFiles.prototype, ["appendFile", "writeFile", "createFile"]);
  delay(prototype, ["exec"]);
}
