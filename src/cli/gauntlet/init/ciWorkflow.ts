/**
 * Writes for `init --ci` the workflow file by which GitHub or GitLab runs the gates, or describes it as a diff (G52).
 * Never changes an existing file, and requires that the project depends on this package.
 */
import { posix } from "node:path";
import { err, ok, type Result } from "neverthrow";
import { type CliContext, EXIT, type ExitCode, printError } from "@/cli/context";
import { SHARED_MODE } from "@/cli/settingsFile";
import { describeChanges } from "@/cli/gauntlet/init/describeChanges";
import { alreadyExists, creating } from "@/cli/gauntlet/init/Setup";
import { notWritable } from "@/cli/messages/shared";
import { pathForUser } from "@/cli/render/formatText";
import { runGit } from "@/node/services/gauntlet/change/git/runGit";
import type { CiName } from "@/cli/gauntlet/options";
import type { NewFile } from "@/cli/gauntlet/init/configText";
import { findPackageManager } from "@/cli/gauntlet/init/detect/packageManager";
import { ProjectFolder } from "@/cli/gauntlet/init/detect/ProjectFolder";
import type { InitPlace } from "@/cli/gauntlet/init/targetProject";
import { logConfigOf } from "@/cli/gauntlet/project";
import * as hookProgram from "@/cli/gauntlet/init/hooks/hookProgram";
import { CHECK_CACHE_FILE } from "@/node/services/gauntlet/state/runFiles";
import { loadGauntletConfig } from "@/node/services/gauntlet/config/loadConfig";
import { logDirOf } from "@/node/services/gauntlet/run/logs/logDir";
import { findWorkingTree } from "@/node/services/gauntlet/turn/readGitFolder";

/**
 * Plans the workflow of a project whose configuration exists. Writes nothing. The path is relative to the root of the
 * repository. `nextStep` is what the user has to do before it runs.
 */
async function planWorkflow(
  ci: CiName,
  place: InitPlace
): Promise<Result<NewFile & { readonly root: string; readonly nextStep?: string }, string>> {
  const { runtime, projectDir } = place;
  const independent = await hookProgram.describeMissingDependency(place);
  if (independent !== undefined) {
    return err(
      `a workflow starts ${hookProgram.PACKAGE_NAME} in a fresh clone, but package.json does not depend on it; ${await hookProgram.stepToAddDependency(place)}`
    );
  }
  const tree = await findWorkingTree(runtime, projectDir);
  if (tree === undefined) return err(`${projectDir} is in no git repository`);
  const { root } = tree;
  const loaded = await loadGauntletConfig(runtime, projectDir);
  const { baseBranch, isDefaultBase = true } = loaded.kind === "valid" ? loaded.config : {};
  const logDir = posix.relative(root, await logDirOf(runtime, projectDir, logConfigOf(loaded)));
  const manager = await findPackageManager(await ProjectFolder.open(runtime, projectDir));
  const args = ["rev-parse", "--abbrev-ref", "origin/HEAD"];
  const findHead = async (): Promise<string> =>
    (await runGit(runtime, { cwd: projectDir, args })).unwrapOr("main").trimEnd();
  const branch = (isDefaultBase ? undefined : baseBranch) ?? (await findHead());
  const parts = {
    install: manager.install,
    program: manager.exec(hookProgram.PACKAGE_NAME),
    branch: branch.replace(/^origin\//, ""),
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

/** Returns the lines of a `diff -u` for what {@link writeWorkflow} would create. */
export async function describeWorkflow(ci: CiName, place: InitPlace): Promise<string[]> {
  const plan = await planWorkflow(ci, place);
  if (plan.isErr()) return [plan.error];
  return await describeChanges({ ...place, projectDir: plan.value.root }, [plan.value], []);
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

/** The parts of a workflow that depend on the project. Each machine of a run takes one part of the checks. */
interface WorkflowParts {
  /** The command that installs the dependencies of the project. */
  readonly install: string;
  /** The words that start this program in a clone with its dependencies. */
  readonly program: string;
  /** The protected branch. */
  readonly branch: string;
  /** The file of the checks that passed, relative to the root of the repository. */
  readonly cache: string;
  /** The project, relative to the root of the repository: empty, or such as `packages/app`. */
  readonly folder: string;
}

const fileHeader = (ci: string): string =>
  `# Written by "mux-stop-hooks init --ci ${ci}". It is yours: init does not change it again.\n`;

/** The files that decide on the programs and the scripts behind a check, apart from the check's own inputs. */
const HASHED = [
  ...[".github/workflows/gauntlet.yml", "**/.gauntlet/**", "**/package.json"],
  ...["**/*.lock", "**/*-lock.json", "**/*-lock.yaml", "**/bun.lockb", "**/npm-shrinkwrap.json"],
  ...["**/go.sum", "**/requirements*.txt", "**/pyproject.toml"],
  ...["**/Makefile", "**/justfile", "**/Taskfile.y*ml", ".nvmrc", ".tool-versions"],
  "!**/node_modules/**",
];

function githubWorkflow({ install, program, branch, cache, folder }: WorkflowParts): string {
  const files = HASHED.map((glob) => `'${glob}'`).join(", ");
  const key = `gauntlet-\${{ runner.os }}-\${{ runner.arch }}-node\${{ steps.node.outputs.node-version }}-\${{ strategy.job-index }}-\${{ strategy.job-total }}-\${{ hashFiles(${files}) }}-`;
  const reports = "--report junit=gauntlet.xml --report sarif=gauntlet.sarif";
  const at = folder === "" ? "" : `\n        working-directory: ${JSON.stringify(folder)}`;
  const run = `${program} run --job \${{ strategy.job-index }} --job-total \${{ strategy.job-total }} ${reports}`;
  return `${fileHeader("github")}name: gauntlet
on:
  pull_request:
  push:
    branches: [${JSON.stringify(branch)}]
  schedule:
    - cron: "17 3 * * *"
permissions:
  contents: read
jobs:
  gauntlet:
    runs-on: ubuntu-latest
    strategy:
      fail-fast: false
      matrix:
        # Add numbers to spread the checks over more machines.
        shard: [0]
    steps:
      - uses: actions/checkout@v4
        with:
          fetch-depth: 0
          persist-credentials: false
      - id: node
        uses: actions/setup-node@v4
        with:
          node-version: 22
      # Also install here what the checks need besides Node.
      - name: Install
        run: ${install}${at}
      # A pull request reads which checks with "inputs" passed on the protected branch. It writes nothing that others read.
      - if: github.event_name == 'pull_request'
        uses: actions/cache/restore@v4
        with:
          path: ${JSON.stringify(cache)}
          key: ${key}\${{ github.run_id }}
          restore-keys: ${key}
      - name: Check the pull request
        if: github.event_name == 'pull_request'
        run: ${run}${at}
      # The protected branch runs everything, and reads no earlier result.
      - name: Check everything
        if: github.event_name != 'pull_request'
        run: ${run} --all${at}
      - if: success() && github.event_name != 'pull_request' && github.ref_protected
        uses: actions/cache/save@v4
        with:
          path: ${JSON.stringify(cache)}
          key: ${key}\${{ github.run_id }}
      - if: always()
        uses: actions/upload-artifact@v4
        with:
          name: gauntlet-\${{ strategy.job-index }}
          path: |
            ${posix.join(folder, "gauntlet.xml")}
            ${posix.join(folder, "gauntlet.sarif")}
          if-no-files-found: ignore
`;
}

function gitlabWorkflow({ install, program, folder }: WorkflowParts): string {
  const at = folder === "" ? "" : `\n    - cd ${JSON.stringify(folder)}`;
  const shard = '--job "$((${CI_NODE_INDEX:-1} - 1))" --job-total "${CI_NODE_TOTAL:-1}"';
  const run = `${program} run ${shard} --report junit=gauntlet.xml --report gitlab=gauntlet.json`;
  return `${fileHeader("gitlab")}gauntlet:
  image: node:22
  # Add "parallel: 2" to spread the checks over more machines.
  variables:
    GIT_DEPTH: "0"
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
    - if: $CI_COMMIT_REF_PROTECTED == "true"
  script:
    # Also install here what the checks need besides Node.${at}
    - ${install}
    - |
      if [ -n "\${CI_MERGE_REQUEST_TARGET_BRANCH_NAME:-}" ]; then
        git fetch -q origin "+refs/heads/$CI_MERGE_REQUEST_TARGET_BRANCH_NAME:refs/remotes/origin/$CI_MERGE_REQUEST_TARGET_BRANCH_NAME"
        ${run} -b "origin/$CI_MERGE_REQUEST_TARGET_BRANCH_NAME"
      else
        ${run} --all
      fi
  artifacts:
    when: always
    reports:
      junit: ${posix.join(folder, "gauntlet.xml")}
      codequality: ${posix.join(folder, "gauntlet.json")}
`;
}
