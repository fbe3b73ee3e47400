// Prints "N passed, N failed, N skipped" from vitest's JSON report, as the last line of a test run. Without a report,
// vitest itself failed.
import { existsSync, readFileSync } from "node:fs";

const [file] = process.argv.slice(2);
const report = existsSync(file)
  ? JSON.parse(readFileSync(file, "utf8"))
  : { testResults: [{ status: "failed", assertionResults: [] }] };
const tests = report.testResults.flatMap((file) => file.assertionResults);
const count = (...states) => tests.filter((test) => states.includes(test.status)).length;
// A file that cannot be loaded contains no failed test, so it counts as a failure itself.
const broken = report.testResults.filter(
  (file) => file.status === "failed" && !file.assertionResults.some((t) => t.status === "failed")
).length;
const failed = count("failed") + broken;
console.log(
  `${count("passed")} passed, ${failed} failed, ${count("skipped", "pending", "todo", "disabled")} skipped`
);
process.exitCode = failed === 0 && tests.length > 0 ? 0 : 1;
