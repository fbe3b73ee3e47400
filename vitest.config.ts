import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { has } from "./scripts/programs.mjs";
import { shellText } from "./scripts/shellText.mjs";
import { removeVariables } from "./scripts/testMachine.mjs";

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const gauntlet = (name: string): string => `test/integration/gauntlet/${name}.test.ts`;

/**
 * Test files that create their workspaces with `createTestRuntime`. Their tests run on this machine, and again over the
 * remote protocol unless they are by `testHere` or `describeHere`. Tests of behavior that depends on the connection
 * (streams, limits, files) also run through a real sshd; the others would start thousands of ssh clients to prove the
 * same. Decisions of the engine do not depend on the machine, so their test files run on this machine only.
 * `integration/ssh/` has whole stops and runs over a real connection.
 */
const BY_SSHD = ["test/conformance/g-time.test.ts", gauntlet("checks")];
const BY_PROTOCOL = [
  "test/conformance/c-launch.test.ts",
  "test/conformance/h-environment.test.ts",
  "test/integration/agentSession.stop.test.ts",
  ...["changed/fileCalls", "lock"].map(gauntlet),
];

removeVariables(process.env);
process.env.NODE_ENV = "test";
process.umask(0o022);

// A bash that is not in another shell takes the pipes of Node for a network connection, and reads the user's ~/.bashrc.
process.env.SHLVL = "1";

// Tests write paths of temporary folders into command lines without quotes.
if (/[^\w./-]/.test(tmpdir())) process.env.TMPDIR = "/tmp";

/** Real agent command lines, which have a configuration of their own. */
const HOSTS = "test/hosts/**";

/** What a person reads in a Mux that was built from its source, and a Mux with the changes of docs/upstream. */
const IN_BUILT_MUX = ["test/host/upstream/**", "test/host/scenarios/page.test.ts"];

const BY_SPAWNER = "test/integration/spawnedPrograms.test.ts";

const hasSshd = ["ssh", "ssh-keygen", "sshd"].every(has);

/** Short files whose tests take long. Without durations of an earlier run, vitest starts the largest files first. */
const LONG = [
  "docs/examples",
  "fault/fault",
  "fuzz/fuzz",
  "host/scenarios/remote",
  "host/scenarios/server",
  "integration/gauntlet/changed/whole",
  "integration/gauntlet/trust/corrupted",
  "integration/gauntlet/trust/matrix",
  "integration/ssh/contents",
  "integration/ssh/exitCodes",
  "property/baseHolds",
  "property/settingsEdit",
];

/** Starts what takes long first, so that all workers end at about the same time: other projects than `local`, then LONG. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project, moduleId }: TestSpecification): number => {
      if (project.name !== "local") return 0;
      return LONG.some((name) => moduleId.endsWith(`/test/${name}.test.ts`)) ? 1 : 2;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  plugins: [shellText],
  resolve: { alias: { "@": at("./src"), "@scripts": at("./scripts"), "@test": at("./test") } },
  test: {
    globalSetup: ["test/helpers/tempRoot.ts"],
    setupFiles: [
      "test/helpers/fixedSeed.ts",
      ...(process.env.TEST_DELAYS === undefined ? [] : ["test/helpers/delays.ts"]),
    ],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // Tuned for a machine with two cores. Tests wait for processes and time limits: with three workers a third of the
    // CPU was idle; with five, tests with time limits fail on a slow machine.
    maxWorkers: 4,
    // A process with threads is dearer to fork, and the tests fork some 30,000 times.
    execArgv: ["--single-threaded"],
    // Test files of one worker share its modules. Reloading them for each file takes 100 s in total.
    isolate: false,
    // So each test restores what the one before has replaced.
    restoreMocks: true,
    unstubEnvs: true,
    sequence: { sequencer: LongestFirst },
    coverage: { provider: "v8", include: ["src/**"], reporter: ["text-summary", "html"] },
    projects: [
      {
        extends: true,
        test: {
          name: "local",
          include: ["test/**/*.test.ts"],
          exclude: [BY_SPAWNER, HOSTS, ...(process.env.MUX_DIST === undefined ? IN_BUILT_MUX : [])],
        },
      },
      // It replaces modules that other test files share, and imports two of these files.
      { extends: true, test: { name: "spawner", include: [BY_SPAWNER], isolate: true } },
      {
        extends: true,
        test: {
          name: "remote",
          include: BY_PROTOCOL,
          env: { TEST_RUNTIME: "remote" },
        },
      },
      {
        extends: true,
        test: {
          name: "ssh",
          include: hasSshd ? BY_SSHD : [],
          env: { TEST_RUNTIME: "ssh" },
          globalSetup: ["test/helpers/tempRoot.ts", "test/helpers/remote/sshGlobalSetup.ts"],
          // Connections outlive a test and end with the process that owns them.
          isolate: true,
        },
      },
    ],
  },
});
