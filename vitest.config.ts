import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const gauntlet = (name: string): string => `test/integration/gauntlet/${name}.test.ts`;

/** Test files whose workspaces are made by `createTestRuntime`, and which know nothing of where those are. */
const OVER_SSH = [
  "test/conformance/a-loading.test.ts",
  "test/conformance/b-matching.test.ts",
  "test/conformance/c-launch.test.ts",
  "test/conformance/d-results.test.ts",
  "test/conformance/e-several.test.ts",
  "test/conformance/f-loops.test.ts",
  "test/conformance/g-time.test.ts",
  "test/conformance/h-controller.test.ts",
  "test/conformance/h-environment.test.ts",
  "test/conformance/h-trust.test.ts",
  "test/conformance/i-session.test.ts",
  "test/conformance/j-subagent.test.ts",
  "test/integration/agentSession.stop.test.ts",
  "test/integration/agentSession.test.ts",
  ...["changeFiles", "changeRepository", "checks", "executeRun", "hostTurn", "keptIndex"].map(
    gauntlet
  ),
  ...["lock", "slips", "starts", "stopHook"].map(gauntlet),
  "test/integration/task.test.ts",
  "test/integration/useCases.test.ts",
];

/** Without an sshd they are left out, which its own tests say; where `CI` is set it has to be there. */
const hasSshd = existsSync("/usr/sbin/sshd") || Boolean(process.env.CI);

export default defineConfig({
  resolve: { alias: { "@": at("./src"), "@test": at("./test") } },
  test: {
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Process tests measure what a machine of two cores can do at once.
    maxWorkers: 2,
    // A machine that others use as well may starve one of thousands of processes; the report says which test that was.
    retry: process.env.CI ? 1 : 0,
    coverage: { provider: "v8", include: ["src/**"], reporter: ["text-summary", "html"] },
    projects: [
      { extends: true, test: { name: "local", include: ["test/**/*.test.ts"] } },
      // The same files once more, with their workspaces behind a real sshd.
      {
        extends: true,
        test: {
          name: "ssh",
          include: hasSshd ? OVER_SSH : [],
          env: { TEST_RUNTIME: "ssh" },
          testTimeout: 60_000,
          globalSetup: "test/helpers/sshGlobalSetup.ts",
        },
      },
    ],
  },
});
