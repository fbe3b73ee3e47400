/** The tests of `make test-hosts`, which `make test` does not run. */
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { shellText } from "../../scripts/shellText.mjs";
import { removeVariables } from "../../scripts/testMachine.mjs";

const at = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

removeVariables(process.env);

export default defineConfig({
  plugins: [shellText],
  root: at("."),
  resolve: { alias: { "@": at("src"), "@scripts": at("scripts"), "@test": at("test") } },
  test: {
    include: ["test/hosts/**/*.test.ts"],
    // A host starts within seconds, and some of them stop only after a minute if the model is missing.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Each host uses about one core.
    maxWorkers: 2,
    isolate: false,
    // Some files have tests for other hosts only than those that HOSTS names.
    passWithNoTests: true,
  },
});
