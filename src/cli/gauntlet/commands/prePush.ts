/**
 * `mux-stop-hooks pre-push`: runs the gates before a `git push`, as git's pre-push hook (G51). Runs none if the files
 * are those of the last pass or the remote has the commits, and stops a push whose commit is not checked out or differs
 * from the working tree.
 */
import { readInput } from "@/cli/gauntlet/commands/mergeShards";
import { type CliContext, EXIT, type ExitCode, printError } from "@/cli/context";
import { run } from "@/cli/gauntlet/commands/run";
import { withProject, type Project } from "@/cli/gauntlet/project";
import { MIB } from "@/common/limits";
import { visible } from "@/common/safeText";
import { runGit } from "@/node/services/gauntlet/change/git/runGit";
import { loadGauntletConfig } from "@/node/services/gauntlet/config/loadConfig";
import { logDirOf } from "@/node/services/gauntlet/run/logs/logDir";
import { readsHistory } from "@/node/services/gauntlet/domain/relevantFiles";
import { readState } from "@/node/services/gauntlet/state/executionState";

/** A branch or another ref that git is about to push. */
interface PushedRef {
  /** Its name on the remote. */
  readonly name: string;
  readonly commit: string;
}

const MAX_INPUT = MIB;
const DELETED = /^0+$/;
const UNCHECKED = /^refs\/(?:tags|notes)\//;
const ANYWAY = '"git push --no-verify" pushes without the gates';

export async function prePush(
  remote: string | undefined,
  _url: string | undefined,
  _options: object,
  context: CliContext
): Promise<ExitCode> {
  const read = await readInput(context.stdin, MAX_INPUT);
  if (read.isErr() || read.value === undefined) {
    return printError(context, "the list of refs from git could not be read");
  }
  const refs = pushedRefs(read.value);
  if (refs.length === 0) return EXIT.ok;
  // With these variables, git commands of a check would use the repository and the index of the push.
  const env = Object.fromEntries(
    Object.entries(context.env).filter(([name]) => !/^GIT_(?:DIR|WORK_TREE|INDEX_FILE)$/.test(name))
  );
  const checkContext = Object.create(context, { env: { value: env } }) as CliContext;
  const checkIn = (project: Project) => check(project, refs, remote ?? "", checkContext);
  return await withProject(checkContext, checkIn, {}, () => {
    context.stderr.write(`mux-stop-hooks: no gates before this push: .gauntlet was not found\n`);
    return Promise.resolve(EXIT.ok);
  });
}

/** Returns the refs that git lists on standard input, without deletions, tags and notes. */
function pushedRefs(input: string): PushedRef[] {
  return input.split("\n").flatMap((line) => {
    const [, commit = "", name = ""] = line.split(" ");
    const isPushed = name !== "" && !DELETED.test(commit) && !UNCHECKED.test(name);
    return isPushed ? [{ name, commit }] : [];
  });
}

/** Runs the gates if a ref has files that have not passed and that the remote does not have. */
async function check(
  project: Project,
  refs: readonly PushedRef[],
  remote: string,
  context: CliContext
): Promise<ExitCode> {
  const passed = await passedTree(project, context);
  const due: PushedRef[] = [];
  for (const ref of refs) {
    const tree = await git(project, "rev-parse", "--verify", `${ref.commit}^{tree}`);
    const isPassed = tree !== undefined && tree === passed;
    if (!isPassed && !(await isOnRemote(project, remote, ref.commit))) due.push(ref);
  }
  if (due.length === 0) return EXIT.ok;
  const head = await git(project, "rev-parse", "--verify", "HEAD^{commit}");
  for (const { name, commit } of due) {
    if (commit !== head) {
      return printError(
        context,
        `${visible(name)} was not pushed, because it is not the checked out commit and its files are not the ones that passed last; check it out and push it again, or ${ANYWAY}`
      );
    }
  }
  // The user's configuration can leave both out.
  const all = ["--untracked-files=all", "--ignore-submodules=none"];
  if ((await git(project, "status", "--porcelain", ...all)) !== "") {
    return printError(
      context,
      `nothing was pushed, because the working tree differs from the commit, so the gates would check other files; commit the changes or run "git stash -u", and push again, or ${ANYWAY}`
    );
  }
  context.stderr.write("mux-stop-hooks: running the gates before the push\n");
  const code = await run({ cache: true, pushing: due.map(({ commit }) => commit) }, context);
  if (code !== EXIT.ok) printError(context, `nothing was pushed; ${ANYWAY}`);
  return code;
}

/** Returns the tree on which all gates passed last, if that was with the present configuration. */
async function passedTree(
  { runtime, dir }: Project,
  { env }: CliContext
): Promise<string | undefined> {
  const loaded = await loadGauntletConfig(runtime, dir, { env });
  if (loaded.kind !== "valid") return undefined;
  const { state } = await readState(runtime, await logDirOf(runtime, dir, loaded.config));
  const { passed, open = [] } = state ?? {};
  const isOfConfig = open.length === 0 && passed?.definition === loaded.config.digest;
  // A gate that reads the history may depend on the commits too, not only on the tree.
  const gates = loaded.config.entryPoints.flatMap((point) => point.gates);
  return isOfConfig && !gates.some(readsHistory) ? passed.snapshot : undefined;
}

/** Runs git, and returns its output without white space at the end, or undefined if git fails. */
async function git({ runtime, dir: cwd }: Project, ...args: string[]): Promise<string | undefined> {
  return (await runGit(runtime, { cwd, args })).map((text) => text.trimEnd()).unwrapOr(undefined);
}

/** Returns whether the remote has the commit already, as of the last fetch or push. */
async function isOnRemote(project: Project, remote: string, commit: string): Promise<boolean> {
  if (!/^[\w.-]+$/.test(remote)) return false;
  return (await git(project, "rev-list", "-n1", commit, "--not", `--remotes=${remote}`)) === "";
}
