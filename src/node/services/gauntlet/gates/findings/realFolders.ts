/** Compares paths with the real folder of a project, on the project's machine. */
import type { HookRuntime } from "@/node/runtime/HookRuntime";

/** Prints the real path of a folder, then for each file whether it is inside and not a symbolic link. */
const SCRIPT = `CDPATH=
root=$(cd -P -- "$1" && pwd && echo .) || exit 1
root=\${root%??}
shift
printf '%s\\n' "$root"
for file do
  folder=$(cd -P -- "\${file%/*}/" && pwd && echo .) || folder=
  case "\${folder%??}/" in
    "\${root%/}"/*) if [ -L "$file" ]; then echo outside; else echo inside; fi ;;
    *) echo outside ;;
  esac
done`;

const TIMEOUT_MS = 10_000;

export interface RealFolders {
  /** The project's folder without symbolic links. */
  readonly root: string;
  /** Those of the files that are regular files inside the project. */
  readonly inside: ReadonlySet<string>;
}

/** Returns undefined if the machine cannot tell. `paths` are absolute. */
export async function realFolders(
  runtime: Pick<HookRuntime, "exec">,
  projectDir: string,
  paths: readonly string[]
): Promise<RealFolders | undefined> {
  const { end, stdout } = await runtime.exec({
    command: { file: "sh", args: ["-c", SCRIPT, "sh", projectDir, ...paths] },
    cwd: "/",
    timeoutMs: TIMEOUT_MS,
  });
  if (end.kind !== "exited" || end.code !== 0) return undefined;
  // The path may contain line breaks, the answers do not.
  const lines = stdout.text.trimEnd().split("\n");
  const answers = paths.length === 0 ? [] : lines.splice(-paths.length);
  const inside = paths.filter((_, i) => answers[i] === "inside");
  return { root: lines.join("\n"), inside: new Set(inside) };
}
