/** A project on another machine, over SSH. */
import { err, ok, type Result } from "neverthrow";
import type { CliContext } from "@/cli/context";
import type { Workspace } from "@/cli/project";
import { plainText } from "@/common/text";
import { openSshRuntime } from "@/node/runtime/SSHRuntime";
import type { Runtime } from "@/node/runtime/Runtime";
import { parseSshTarget } from "@/node/runtime/ssh/sshTarget";

/** {@link Workspace} of `ssh://[user@]host[:port]/path`; the connection is let go when the work is done. One that fails is complained of. */
export async function withRemoteWorkspace<Code extends number>(
  url: string,
  context: CliContext,
  work: (workspace: Workspace) => Promise<Code>,
  complain: (context: CliContext, message: string) => Code
): Promise<Code> {
  const target = parseSshTarget(url);
  if (target.isErr()) return complain(context, target.error);
  const runtime = openSshRuntime(target.value, { env: context.env });
  try {
    const projectDir = await findFolder(runtime, target.value.path);
    if (projectDir.isErr()) return complain(context, projectDir.error);
    return await work({ runtime, projectDir: projectDir.value });
  } finally {
    await runtime.dispose();
  }
}

/** Also below the home of whoever logs in. Exit 3: there is no such folder. */
const LOCATE = `
case $1 in "~") dir=$HOME ;; "~/"*) dir=$HOME/\${1#"~/"} ;; *) dir=$1 ;; esac
[ -d "$dir" ] || exit 3
CDPATH= cd -P -- "$dir" && pwd -P`;

/** The real path of a folder there, in the same round trip that finds out whether the machine can be reached. */
async function findFolder(runtime: Runtime, path: string): Promise<Result<string, string>> {
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
