/** The command `agent-gauntlet`, as a process of its own. */
import { runProcess } from "@/cli/gauntlet/main";

await runProcess();
