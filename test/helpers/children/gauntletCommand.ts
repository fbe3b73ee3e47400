/** The command `agent-gauntlet`, as a separate process. */
import { runProcess } from "@/cli/gauntlet/program";

await runProcess();
