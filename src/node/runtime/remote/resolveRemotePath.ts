import { err, ok, type Result } from "neverthrow";
import { plainText } from "@/common/text";
import type { HookRuntime } from "@/node/runtime/HookRuntime";

/** Exit 3: there is no such folder. */
const LOCATE = `
case $1 in "~") dir=$HOME ;; "~/"*) dir=$HOME/\${1#"~/"} ;; *) dir=$1 ;; esac
[ -d "$dir" ] || exit 3
CDPATH= cd -P -- "$dir" && pwd -P`;

/**
 * The real path of a folder there, in the same round trip that finds out whether the machine can be reached.
 *
 * @param path absolute, or below the home of whoever logs in (`~/…`)
 */
export async function resolveRemotePath(
  runtime: HookRuntime,
  path: string
): Promise<Result<string, string>> {
  const { end, stdout, stderr } = await runtime.exec({
    command: { file: "sh", args: ["-c", LOCATE, "sh", path] },
    cwd: "/",
  });
  if (end.kind === "exited" && end.code === 0) return ok(stdout.text.replace(/\n$/, ""));
  if (end.kind === "exited" && end.code === 3) {
    return err(`there is no folder ${path} on ${runtime.label}`);
  }
  const why = "message" in end ? end.message : plainText(stderr.text).trim();
  return err(`${path} on ${runtime.label} cannot be used: ${why}`);
}
