/** Stops a session 20 times, and prints the host's resources before and after. */
import { openFiles, sessionIn, stop } from "@test/helpers/hooks/stoppedSession";

const [root = ""] = process.argv.slice(2);
const warnings: string[] = [];
process.on("warning", (warning) => warnings.push(warning.message));
const commands = ["exit 0", "echo no >&2; exit 2", "sleep 3 & exit 1", "nowhere-at-all"];
const open = sessionIn(root, [...commands, { command: "cat; sleep 60", timeout: 0.02 }]);

async function held(): Promise<Record<string, unknown>> {
  return {
    files: await openFiles(),
    resources: process.getActiveResourcesInfo().sort(),
    exitListeners: process.listenerCount("exit"),
  };
}

const first = open();
await stop(first, root);
await first.dispose();
const before = await held();
const controller = open();
const actions = new Map<string, number>();
for (let n = 0; n < 20; n++) {
  const action = await stop(controller, root, n % 10 === 0);
  actions.set(action, (actions.get(action) ?? 0) + 1);
}
await controller.dispose();
const counts = Object.fromEntries(actions);
console.log(JSON.stringify({ before, after: await held(), counts, warnings }));
