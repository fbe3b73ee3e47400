/** The trial of a proposed check, by a command that still runs at its limit (G29). */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { CheckProposal } from "@/cli/gauntlet/init/detect/types";
import { describeTrial, tryChecks } from "@/cli/gauntlet/init/tryChecks";
import { InitProject } from "@test/helpers/gauntlet/initProject";

/** Each waits for changes, unless `CI` is set. */
const WATCHING = {
  jest: "\\n\\033[1mWatch Usage\\033[22m\\n › Press a to run all tests.",
  vitest: " PASS  Waiting for file changes...",
  tsc: "Found 0 errors. Watching for file changes.",
  mocha: "[mocha] waiting for changes...",
};

const checkOf = (name: string, command: string): CheckProposal => ({
  ...{ name, command, kind: "test", program: "sh", reason: "", folder: "." },
  ...{ entryPoints: ["."], isPreselected: true },
});

/** Returns the description of each check's trial. */
async function textsOf(checks: readonly CheckProposal[], project: InitProject): Promise<string[]> {
  const trials = await tryChecks(checks, project.place(), {
    ...{ signal: new AbortController().signal, limits: { checkMs: 500, totalMs: 20_000 } },
    beginCheck: () => new AbortController().signal,
    onTried: () => undefined,
  });
  return checks.map(({ name, command }) => describeTrial(trials.get(name)!, command));
}

test("a command that waits for changes is told from one that is slow, and the advice works", async () => {
  const project = await InitProject.create();
  const checks = Object.entries(WATCHING).map(([name, text]) => {
    writeFileSync(join(project.dir, name), `test -n "$CI" || { printf '${text}\\n'; sleep 60; }\n`);
    return checkOf(name, `sh ${name}`);
  });
  const [slow, ...texts] = await textsOf(
    [checkOf("slow", "echo 'ok: the watch usage of a disk'; sleep 60"), ...checks],
    project
  );
  expect(slow).toBe(
    'starts; not finished in 500ms. If all checks together take longer than 290 s, run "mux-stop-hooks init --limit 900"'
  );
  const left = (line: string, name: string): string =>
    `left out, because it does not end (${line}); add it as CI=1 sh ${name}, or without its watch mode`;
  expect(texts).toEqual([
    left("Watch Usage", "jest"),
    left("PASS  Waiting for file changes...", "vitest"),
    left("Found 0 errors. Watching for file changes.", "tsc"),
    left("[mocha] waiting for changes...", "mocha"),
  ]);
  const advised = texts.map((text, i) => checkOf(`${i}`, / as (.*),/.exec(text)?.[1] ?? ""));
  const ended = await textsOf(advised, project);
  expect(ended.filter((text) => !text.startsWith("passed in "))).toEqual([]);
});
