// Runs the suite several times and prints each test that was not green every time. Rounds alternate between an idle
// machine and a hard one: two busy loops, or random delays of files and processes.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const repository = fileURLToPath(new URL("..", import.meta.url));
const rounds = Number(process.env.ROUNDS ?? 10);
const seed = Number(process.env.FLAKY_SEED ?? (Date.now() % 1_000_000) + 1);
const HARD = ["delayed", "busy"];

/** Returns the title of each test of a round with its state. */
function runRound(round, kind) {
  const report = join(repository, ".cache", `flaky-${round}.json`);
  rmSync(report, { force: true });
  const loops =
    kind === "busy" ? [1, 2].map(() => spawn(process.execPath, ["-e", "for(;;);"])) : [];
  const TEST_SEED = `${seed + round}`;
  const delays = kind === "delayed" ? { TEST_DELAYS: TEST_SEED } : {};
  const env = { ...process.env, TEST_SEED, ...delays };
  const args = ["run", "--reporter=json", `--outputFile.json=${report}`, ...process.argv.slice(2)];
  const options = { cwd: repository, env, stdio: ["ignore", "ignore", "inherit"] };
  const { status } = spawnSync(join(repository, "node_modules/.bin/vitest"), args, options);
  for (const loop of loops) loop.kill("SIGKILL");
  return { status, tests: read(report) };
}

function read(report) {
  try {
    const { testResults } = JSON.parse(readFileSync(report, "utf8"));
    return testResults.flatMap(({ name, status, message, assertionResults }) => {
      const file = relative(repository, name);
      const tests = assertionResults.map((test) => ({
        title: `${file} > ${test.fullName}`,
        isRed: test.status === "failed",
        message: test.failureMessages?.[0] ?? "",
      }));
      // A file that cannot be loaded contains no failed test.
      const isBroken = status === "failed" && !tests.some(({ isRed }) => isRed);
      return isBroken ? [...tests, { title: file, isRed: true, message }] : tests;
    });
  } catch (error) {
    return [{ title: "the report of the round", isRed: true, message: String(error) }];
  }
}

const red = new Map();
mkdirSync(join(repository, ".cache"), { recursive: true });
console.log(`FLAKY_SEED=${seed}`);
for (let round = 1; round <= rounds; round++) {
  const kind = round % 2 === 1 ? "idle" : HARD[(round / 2 - 1) % HARD.length];
  const started = performance.now();
  const { status, tests } = runRound(round, kind);
  const failed = tests.filter(({ isRed }) => isRed);
  for (const { title, message } of failed) {
    red.set(title, [
      ...(red.get(title) ?? []),
      `round ${round} (${kind}): ${message.split("\n")[0]}`,
    ]);
  }
  if (status !== 0 && failed.length === 0)
    red.set(`round ${round}`, [`vitest exited with ${status}`]);
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  console.log(`round ${round}, ${kind}: ${tests.length} tests, ${failed.length} red, ${seconds} s`);
}
for (const [title, times] of red) console.log(`\n${title}\n  ${times.join("\n  ")}`);
console.log(`\n${red.size} of the tests were not green in ${rounds} rounds`);
process.exitCode = red.size === 0 ? 0 : 1;
