/** The name that a help text shows: `mux-stop-hooks` is one name for both commands. */
import { basename } from "node:path";
import type { CliContext } from "@/cli/context";

const OTHER_NAME = "mux-stop-hooks";

/** Returns how the user called the command, such as `mux-stop-hooks hooks` for `mux-hooks`. */
export function calledName(
  { program }: Pick<CliContext, "program">,
  name: "agent-gauntlet" | "mux-hooks"
): string {
  if (basename(program, ".cjs") !== OTHER_NAME) return name;
  return name === "agent-gauntlet" ? OTHER_NAME : `${OTHER_NAME} hooks`;
}
