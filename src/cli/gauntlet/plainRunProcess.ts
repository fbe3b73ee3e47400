/** Runs `mux-stop-hooks run` without arguments as this process, which starts faster without a parser of options. */
import { run } from "@/cli/gauntlet/commands/run";
import { guarded, runAsProcess } from "@/cli/runAsProcess";

export async function runProcess(): Promise<void> {
  await runAsProcess((given) => guarded(given, (context) => run({ cache: true }, context)));
}
