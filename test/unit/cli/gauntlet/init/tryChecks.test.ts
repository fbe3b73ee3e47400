/** The trial of a proposed check, by a command that still runs at its limit (G29). */
import { expect, test } from "vitest";
import type { CheckProposal } from "@/cli/gauntlet/init/detect/types";
import { describeTrial } from "@/cli/gauntlet/init/trial/describeTrial";
import { tryChecks } from "@/cli/gauntlet/init/trial/tryChecks";
import { InitProject } from "@test/helpers/gauntlet/initProject";

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

test("a command that waits for changes is told from one that is slow", async () => {
  const project = await InitProject.create();
  const checks = Object.entries(WATCHING).map(([name, text]) =>
    checkOf(name, `printf '${text}\\n'; sleep 60`)
  );
  const trials = await tryChecks(
    [...checks, checkOf("slow", "echo 'ok: the watch usage of a disk'; sleep 60")],
    project.place(),
    {
      ...{ signal: new AbortController().signal, limits: { checkMs: 500, totalMs: 20_000 } },
      beginCheck: () => new AbortController().signal,
      onTried: () => undefined,
    }
  );
  const texts = [...trials].map(([name, trial]) => `${name}: ${describeTrial(trial)}`);
  const left = (line: string): string =>
    `left out, because it does not end (${line}); add a check with a command that ends, such as CI=1 npm test`;
  expect(texts).toEqual([
    `jest: ${left("Watch Usage")}`,
    `vitest: ${left("PASS  Waiting for file changes...")}`,
    `tsc: ${left("Found 0 errors. Watching for file changes.")}`,
    `mocha: ${left("[mocha] waiting for changes...")}`,
    'slow: starts; not finished in 500ms. If all checks together take longer than 290 s, run "mux-stop-hooks init --limit 900"',
  ]);
});
