/** `init --ci`: finds the file of the workflow and what it runs (G52). */
import { posix } from "node:path";
import { err, ok, type Result } from "neverthrow";
import type { CliContext } from "@/cli/context";
import { EXIT, type ExitCode } from "@/cli/exitCodes";
import { SHARED_MODE } from "@/cli/fileMode";
import { describeChanges } from "@/cli/gauntlet/init/changes";
import { alreadyExists, creating } from "@/cli/gauntlet/init/Setup";
import { notWritable } from "@/cli/messages/shared";
import { pathForUser } from "@/cli/render/format";
import { printError } from "@/cli/render/printError";
import { runGit } from "@/node/services/gauntlet/change/git/runGit";
import type { CiName } from "@/cli/gauntlet/hookNames";
import { githubWorkflow, gitlabWorkflow } from "@/cli/gauntlet/init/ci/workflows";
import type { NewFile } from "@/cli/gauntlet/init/firstConfig";
import { findPackageManager } from "@/cli/gauntlet/init/detect/javascript/packageManager";
import { ProjectFolder } from "@/cli/gauntlet/init/detect/ProjectFolder";
import type { InitPlace } from "@/cli/gauntlet/init/hooks/hookPlan";
import { PACKAGE_NAME, toDependOn, whyIndependent } from "@/cli/gauntlet/init/hooks/hookProgram";
import { CHECK_CACHE_FILE } from "@/node/services/gauntlet/state/runFiles";
import { loadGauntletConfig } from "@/node/services/gauntlet/config/loadConfig";
import { logDirOf } from "@/node/services/gauntlet/run/logs/logDir";
import { findWorkingTree } from "@/node/services/gauntlet/turn/gitFolder";

interface WorkflowPlan extends NewFile {
  /** Absolute: the folder that `path` is relative to. */
  readonly root: string;
  /** What the user has to do before it runs. */
  readonly nextStep?: string;
}

/** Plans the workflow of a project whose configuration exists. Writes nothing. */
async function planWorkflow(ci: CiName, place: InitPlace): Promise<Result<WorkflowPlan, string>> {
  const { runtime, projectDir } = place;
  const independent = await whyIndependent(place);
  if (independent !== undefined) {
    return err(
      `a workflow starts ${PACKAGE_NAME} in a fresh clone, but package.json does not depend on it; ${await toDependOn(place)}`
    );
  }
  const tree = await findWorkingTree(runtime, projectDir);
  if (tree === undefined) return err(`${projectDir} is in no git repository`);
  const { root } = tree;
  const loaded = await loadGauntletConfig(runtime, projectDir);
  const config =
    loaded.kind === "valid"
      ? loaded.config
      : { logDir: undefined, baseBranch: undefined, entryPoints: [] };
  const logDir = posix.relative(root, await logDirOf(runtime, projectDir, config));
  const manager = await findPackageManager(await ProjectFolder.open(runtime, projectDir));
  const parts = {
    install: manager.install,
    program: manager.exec(PACKAGE_NAME),
    branch: (config.baseBranch ?? (await defaultBranch(place))).replace(/^origin\//, ""),
    // The git folder of a linked worktree is not that of a clone.
    cache: posix.join(logDir.replace(/^\.\..*(?=\/agent-gauntlet\/)/, ".git"), CHECK_CACHE_FILE),
    folder: posix.relative(root, projectDir),
  };
  if (ci === "github") {
    return ok({ root, path: ".github/workflows/gauntlet.yml", text: githubWorkflow(parts) });
  }
  const [main] = await runtime.stat([posix.join(root, ".gitlab-ci.yml")]);
  const text = gitlabWorkflow(parts);
  if (main?.kind === "missing") return ok({ root, path: ".gitlab-ci.yml", text });
  const path = ".gitlab/gauntlet.yml";
  const nextStep = `Add "include: [{ local: ${path} }]" to .gitlab-ci.yml.`;
  return ok({ root, path, text, nextStep });
}

async function defaultBranch({ runtime, projectDir: cwd }: InitPlace): Promise<string> {
  const args = ["rev-parse", "--abbrev-ref", "origin/HEAD"];
  const printed = await runGit(runtime, { cwd, args });
  return printed.map((name) => name.trimEnd()).unwrapOr("main");
}

/** Returns the lines of a `diff -u` for what {@link writeWorkflow} would create. */
export async function describeWorkflow(ci: CiName, place: InitPlace): Promise<string[]> {
  return (await planWorkflow(ci, place)).match(
    async (file) => await describeChanges({ ...place, projectDir: file.root }, [file], []),
    (problem) => Promise.resolve([problem])
  );
}

/** Creates the workflow. A file that exists stays as it is. */
export async function writeWorkflow(
  ci: CiName,
  place: InitPlace,
  context: CliContext
): Promise<ExitCode> {
  const plan = await planWorkflow(ci, place);
  if (plan.isErr()) return printError(context, plan.error);
  const { root, path, text, nextStep } = plan.value;
  const file = posix.join(root, path);
  const written = await place.runtime.createFile(file, text, { mode: SHARED_MODE });
  const name = pathForUser(file, context);
  if (written.isErr() && written.error.code !== "EEXIST") {
    return printError(context, notWritable(written.error.path, written.error.message));
  }
  context.stdout.write(`${written.isOk() ? creating(name) : alreadyExists(name)}\n`);
  if (nextStep !== undefined && written.isOk()) context.stdout.write(`${nextStep}\n`);
  return EXIT.ok;
}
