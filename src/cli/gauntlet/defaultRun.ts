/** The entry point of `mux-stop-hooks run` without options. */
import { run } from "@/cli/gauntlet/commands/run";
import { guarded, runAsProcess } from "@/cli/runAsProcess";

export async function runProcess(): Promise<void> {
  await runAsProcess((given) => guarded(given, (context) => run({ cache: true }, context)));
}
