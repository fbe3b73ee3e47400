/**
 * `soakingHost.ts ROOT STOPS`: stops a session that number of times, and prints the host's resources after a tenth of
 * the stops and at the end. Requires `--expose-gc`.
 */
import { openFiles, sessionIn, stop } from "@test/helpers/hooks/stoppedSession";

const [root = "", stops = "10000"] = process.argv.slice(2);
const controller = sessionIn(root, ["exit 0", "echo no >&2; exit 2"])();
const collect = (globalThis as { gc?: () => void }).gc;

async function held() {
  await openFiles();
  collect?.();
  const descriptors = await openFiles();
  return { descriptors, rssMiB: Math.round(process.memoryUsage().rss / 1024 / 1024) };
}

let early: Awaited<ReturnType<typeof held>> | undefined;
for (let n = 1; n <= Number(stops); n++) {
  await stop(controller, root);
  if (n === Number(stops) / 10) early = await held();
}
const late = await held();
await controller.dispose();
console.log(JSON.stringify({ stops: Number(stops), early, late }));
