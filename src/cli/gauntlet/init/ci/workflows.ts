/** The texts of the workflows that `init --ci` writes (G52). Each machine of a run takes one part of the checks. */

export interface WorkflowParts {
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

const HEAD = (ci: string): string =>
  `# Written by "mux-stop-hooks init --ci ${ci}". It is yours: init does not change it again.\n`;

/** What decides on the programs and the scripts behind a check, apart from the check's own inputs. */
const HASHED = [
  ...[".github/workflows/gauntlet.yml", "**/.gauntlet/**", "**/package.json"],
  ...["**/*.lock", "**/*-lock.json", "**/*-lock.yaml", "**/bun.lockb", "**/npm-shrinkwrap.json"],
  ...["**/go.sum", "**/requirements*.txt", "**/pyproject.toml"],
  ...["**/Makefile", "**/justfile", "**/Taskfile.y*ml", ".nvmrc", ".tool-versions"],
  "!**/node_modules/**",
];

export function githubWorkflow({ install, program, branch, cache, folder }: WorkflowParts): string {
  const files = HASHED.map((glob) => `'${glob}'`).join(", ");
  const key = `gauntlet-\${{ runner.os }}-\${{ runner.arch }}-node\${{ steps.node.outputs.node-version }}-\${{ strategy.job-index }}-\${{ strategy.job-total }}-\${{ hashFiles(${files}) }}-`;
  const reports = "--report junit=gauntlet.xml --report sarif=gauntlet.sarif";
  const at = folder === "" ? "" : `\n        working-directory: ${JSON.stringify(folder)}`;
  const reportsIn = folder === "" ? "" : `${folder}/`;
  const run = `${program} run --job \${{ strategy.job-index }} --job-total \${{ strategy.job-total }} ${reports}`;
  return `${HEAD("github")}name: gauntlet
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
            ${reportsIn}gauntlet.xml
            ${reportsIn}gauntlet.sarif
          if-no-files-found: ignore
`;
}

export function gitlabWorkflow({ install, program, folder }: WorkflowParts): string {
  const at = folder === "" ? "" : `\n    - cd ${JSON.stringify(folder)}`;
  const reportsIn = folder === "" ? "" : `${folder}/`;
  const shard = '--job "$((${CI_NODE_INDEX:-1} - 1))" --job-total "${CI_NODE_TOTAL:-1}"';
  const run = `${program} run ${shard} --report junit=gauntlet.xml --report gitlab=gauntlet.json`;
  return `${HEAD("gitlab")}gauntlet:
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
      junit: ${reportsIn}gauntlet.xml
      codequality: ${reportsIn}gauntlet.json
`;
}
