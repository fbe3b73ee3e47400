/** Whole runs of checks that get the changed files (G32). No sequence of edits resolves or hides a failure. */
import { rename, symlink } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import type { RunResult } from "@/node/services/gauntlet/domain/runResult";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { restoring } from "@test/helpers/restoring";
import { stopAt } from "@test/helpers/gauntlet/stops";

const CONFIG = "entry_points:\n  - path: src\n    checks: [lint]\n";
/** Fails if a file contains "bad", and appends the files that it gets to `seen`. */
const LINT = `command: |
  printf '%s\\n' {files} >>../seen; echo -- >>../seen; ! grep -n bad {files}
files: ["**/*.ts"]
`;

const outcomes = ({ gates }: RunResult) => gates.map(({ jobId, outcome }) => `${jobId} ${outcome}`);

const lintProject = restoring(async (check?: string, config?: string) => {
  const files = { "src/old.ts": "bad but old\n" };
  const checks = { lint: check ?? LINT };
  const project = await GauntletProject.create(config ?? CONFIG, checks, { files });
  await project.write(".git/info/exclude", "/seen\n");
  return project;
});

/** A project in which the check rejected `src/new.ts`. */
const failedProject = restoring(async (text?: string) => {
  const project = await lintProject();
  await project.write("src/new.ts", text ?? "bad\n");
  expect((await project.run()).status).toBe("failed");
  return project;
});

/** Returns the lists of the calls since the last time. */
async function seen(project: GauntletProject): Promise<string[]> {
  const text = await project.read("seen").catch(() => "");
  if (text !== "") await project.remove("seen");
  return text
    .split("--\n")
    .slice(0, -1)
    .map((call) => call.trimEnd().split("\n").join(" "));
}

test("a check that fails in run --all does not block a stop (G19a)", async () => {
  const check = "command: '! grep -l BAD {files}'\n";
  const config = "entry_points:\n  - path: src\n    checks: [clean]\n";
  const files = { "src/old.txt": "BAD\n" };
  const project = await GauntletProject.create(config, { clean: check }, { files });
  await project.write("src/new.txt", "fine\n");
  expect(await project.run({ all: true })).toMatchObject({ status: "failed", gatesFailed: 1 });
  expect(await project.run({ scope: { kind: "uncommitted" } })).toMatchObject({ status: "passed" });
  expect((await project.state()).open).toEqual([]);
  expect((await stopAt(project)).result).toMatchObject({ status: "passed", gatesRun: 1 });
});

test("{files} in a run has those that match and exist, with links and without submodules; after a pass, those that changed since; with --all, all", async () => {
  const project = await lintProject();
  await project.write("src/new.ts", "ok\n");
  await project.write("src/readme.md", "bad\n");
  await project.write("other.ts", "bad\n");
  await project.remove("src/a.txt");
  await symlink("new.ts", project.path("src/link.ts"));
  await project.shell("git init -q src/sub.ts && git -C src/sub.ts commit -q --allow-empty -m x");
  const run = await project.run();
  expect(run).toMatchObject({ status: "passed", gatesRun: 1 });
  expect(await seen(project)).toEqual(["./link.ts ./new.ts"]);
  expect(run.gates[0]?.command).toContain("! grep -n bad ./link.ts ./new.ts");
  await project.write("src/two.ts", "ok\n");
  expect((await project.run()).status).toBe("passed");
  expect((await project.run({ all: true })).status).toBe("failed");
  expect(await seen(project)).toEqual(["./two.ts", "./link.ts ./new.ts ./old.ts ./two.ts"]);
});

describe("no files", () => {
  test("is not a pass: it is counted, not cached, and moves no baseline", async () => {
    const project = await lintProject();
    await project.write("src/readme.md", "1\n");
    const run = await project.run();
    expect(run).toMatchObject({
      status: "no_applicable_gates",
      message: "no gates match the changed files, 1 gate had no files",
      gatesRun: 0,
      gatesFailed: 0,
      gates: [{ outcome: "no_files", message: "No files", durationMs: 0 }],
    });
    expect(await project.state()).toMatchObject({ baselines: {}, open: [], gates_run: 0 });
    expect(await project.state()).not.toHaveProperty("passed");
    expect(outcomes(await project.run())).toEqual(["check:src:lint no_files"]);
    await project.write("src/new.ts", "ok\n");
    expect(outcomes(await project.run())).toEqual(["check:src:lint passed"]);
    expect(await seen(project)).toEqual(["./new.ts"]);
  });

  test("does not make a pass of other gates less than a pass", async () => {
    const both = CONFIG.replace("[lint]", "[lint, { ok: { command: 'true' } }]");
    const project = await lintProject(LINT, both);
    await project.write("src/readme.md", "1\n");
    const run = await project.run();
    expect(run.message).toBe("all gates passed, 1 gate had no files");
    expect(run).toMatchObject({ status: "passed", gatesRun: 1 });
    expect((await project.run()).status).toBe("no_changes");
  });

  test("resolves a gate whose rejected files are gone, not one whose files remain", async () => {
    const project = await failedProject();
    await project.remove("src/new.ts");
    // A partial run resolves nothing.
    expect(outcomes(await project.run({ gates: ["lint"] }))).toEqual(["check:src:lint no_files"]);
    expect(await project.state()).toMatchObject({ open: ["check:src:lint"] });
    await project.write("src/readme.md", "1\n");
    const run = await project.run();
    expect(run).toMatchObject({ status: "no_applicable_gates", fixed: ["check:src:lint"] });
    expect(await project.state()).toMatchObject({ open: [], attempt: 0, failures: {} });
  });
});

describe("a failure cannot be hidden (G20a)", () => {
  test("by other content under another name, without a word to the user", async () => {
    const project = await failedProject();
    await project.remove("src/new.ts");
    await project.write("src/other.tsx", "quite different, and bad\n");
    const { result, personMessage } = await stopAt(project);
    expect(outcomes(result)).toEqual(["check:src:lint no_files"]);
    expect(personMessage).toContain("no file is left of those that it rejected (src/new.ts)");
    expect((await stopAt(project)).personMessage).toBeUndefined();
  });

  test("by a new name that the globs do not match", async () => {
    const text = `bad\n${"line\n".repeat(20)}`;
    const project = await failedProject(text);
    await project.remove("src/new.ts");
    await project.write("src/new.tsx", `${text}more\n`);
    expect(outcomes(await project.run())).toEqual(["check:src:lint failed"]);
    await project.remove("src/new.tsx");
    await project.write("src/other.tsx", text.replace("bad", "good"));
    expect(outcomes(await project.run())).toEqual(["check:src:lint passed"]);
  });

  test("by globs that no longer match the file", async () => {
    const project = await failedProject();
    await project.write(".gauntlet/checks/lint.yml", LINT.replace("*.ts", "*.js"));
    expect(outcomes(await project.run())).toEqual(["check:src:lint failed"]);
  });

  test("by a commit, by a failure in a partial run of other changes, by a base that moves past it, by another base, or by a change of branch", async () => {
    const project = await failedProject();
    await project.commit("work");
    await project.write("src/more.ts", "bad\n");
    expect((await project.run({ scope: { kind: "uncommitted" } })).status).toBe("failed");
    await seen(project);
    await project.remove("src/more.ts");
    expect((await project.run()).status).toBe("failed");
    expect(await seen(project)).toEqual(["./new.ts"]);
    // The merge base is now the commit itself, so its comparison is empty.
    await project.shell("git branch -f main work");
    const run = await project.run();
    expect(outcomes(run)).toEqual(["check:src:lint failed"]);
    expect((await project.run({ baseBranch: "HEAD" })).status).toBe("failed");
    await project.git("switch", "--quiet", "--create", "next");
    expect(outcomes(await project.run())).toEqual(["check:src:lint failed"]);
    expect(new Set(await seen(project))).toEqual(new Set(["./new.ts"]));
  });

  test("by a rename of the file within the globs, also to a name that cannot be passed", async () => {
    const project = await failedProject();
    await rename(project.path("src/new.ts"), project.path("src/moved.ts"));
    expect((await project.run()).status).toBe("failed");
    await project.shell("mv src/moved.ts \"$(printf 'src/n\\377.ts')\"");
    const run = await project.run();
    expect(run).toMatchObject({ status: "failed", gates: [{ outcome: "error" }] });
    expect(run.gates[0]?.message).toContain("is not UTF-8");
  });

  test("by a file that changes while the check runs (G20c)", async () => {
    const sneaky = LINT.replace(
      "! grep",
      "[ -e ../once ] || { : >../once; echo bad >late.ts; }; ! grep"
    );
    const project = await lintProject(sneaky);
    await project.shell("echo /once >>.git/info/exclude");
    await project.write("src/new.ts", "ok\n");
    expect((await project.run()).status).toBe("failed");
    expect(await seen(project)).toEqual(["./new.ts", "./late.ts ./new.ts"]);
  });

  test("a restored file needs no check, because it is as it was", async () => {
    const project = await lintProject();
    await project.write("src/old.ts", "bad and new\n");
    expect((await project.run()).status).toBe("failed");
    await project.git("checkout", "--quiet", "src/old.ts");
    expect(await project.run()).toMatchObject({ status: "no_applicable_gates" });
    expect(await project.state()).toMatchObject({ open: [] });
  });
});

test("the cache depends on the list and on the content of the files, also outside `inputs` (G21)", async () => {
  const project = await lintProject(`${LINT}inputs: [a.txt]\n`);
  await project.write("src/new.ts", "ok\n");
  const cached = async () => {
    const { gates } = await project.run({ baseBranch: "main" });
    return gates[0]?.cachedSince !== undefined;
  };
  expect([await cached(), await cached()]).toEqual([false, true]);
  await project.write("src/new.ts", "ok 2\n");
  expect(await cached()).toBe(false);
  await project.write("src/more.ts", "ok\n");
  expect(await cached()).toBe(false);
});

const WHEN = 'command: "! grep -r bad *.sql"\nwhen: ["**/*.sql"]\n';

test("`when` makes a check due only if a changed file matches, or if it is unresolved", async () => {
  const project = await lintProject(WHEN);
  await project.write("src/new.ts", "1\n");
  expect((await project.run()).status).toBe("no_applicable_gates");
  await project.write("src/x.sql", "bad\n");
  expect((await project.run()).status).toBe("failed");
  await project.write("src/new.ts", "2\n");
  expect((await project.run()).status).toBe("failed");
  await project.write("src/x.sql", "ok\n");
  expect((await project.run()).status).toBe("passed");
});
