/** `mux-stop-hooks init` with the project's own checks: the selection, the trial, and the files that it writes (G29). */
import { spawnSync } from "node:child_process";
import { existsSync, rmSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { areSame, ranBefore, readGates, readTrust } from "@/cli/gauntlet/trust/gateTrust";
import { InitPlan } from "@/cli/gauntlet/init/InitPlan";
import { findTrustStore } from "@/wiring";
import { loadGauntletConfig } from "@/node/services/gauntlet/config/loadConfig";
import { executeRun } from "@/node/services/gauntlet/run/executeRun";
import { trustNow } from "@test/helpers/gauntlet/trust";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { CTRL_C, InitProject, typing } from "@test/helpers/gauntlet/initProject";
import { stopAt } from "@test/helpers/gauntlet/stops";
import { tempDir } from "@test/helpers/tempDir";

const CONFIG = ".gauntlet/config.yml";
const DOWN = "\u001b[B";
const MAKEFILE = `test:
\t@test -z "$$CI"; ! read -r _
lint:
\t@echo 'a.txt: too short'; exit 3
typecheck:
\t@exit 127
fmt-check:
\t@echo b >>a.txt; echo new >new.txt
`;
const TEST_ONLY = { Makefile: "test:\n\t@true\n" };

async function entryPoints(project: InitProject) {
  const loaded = await loadGauntletConfig(project.runtime, project.dir, { strict: true });
  if (loaded.kind !== "valid") throw new Error(JSON.stringify(loaded));
  expect(loaded.problems).toEqual([]);
  return loaded.config.entryPoints.map(({ path, gates }) => [path, ...gates.map((g) => g.name)]);
}

describe("the trial", () => {
  test("writes the checks that can run, and marks one that fails today", async () => {
    const project = await InitProject.create({ "a.txt": "a\n", Makefile: MAKEFILE });
    const { code, stdout } = await project.init({ yes: true });
    expect(code).toBe(0);
    const shown = stdout.replaceAll(/\d+(?:\.\d+)?m?s/g, "TIME");
    expect(shown).toContain("Trying the 4 checks once (at most 20 s each, 60 s together):\n");
    expect(shown).toContain("✓ test: passed in TIME\n");
    // make has an exit code of its own.
    expect(shown).toContain("✗ lint: fails now (exit code 2, TIME); written nevertheless\n");
    expect(shown).toContain(
      "- format: left out, because it changes files that git does not ignore: a.txt, new.txt\n"
    );
    expect(await entryPoints(project)).toEqual([[".", "test", "lint", "types"]]);
    expect(project.read(CONFIG)).toMatch(
      /\nchecks:\n {2}# Makefile has "test"\n {2}# Passed on .*\n {2}test: make test\n {2}# Makefile has "lint"\n {2}# Failed on \d{4}-\d\d-\d\d \(exit code 2\)\.\n {2}lint:\n {4}command: make lint\n {4}parallel: true\n/
    );
    // What a command changed stays: only the user knows whether to keep it.
    expect(project.read("a.txt")).toBe("a\nb\n");
  });

  test("tells what this machine does not have from a failure, and takes no bytecode of Python for a change", async () => {
    const project = await InitProject.create({
      "package.json": JSON.stringify({ scripts: { "format:check": "no-such-runner" } }),
      Makefile: `test:
\t@mkdir -p a/__pycache__; echo >a/__pycache__/b.pyc
lint:
\t@echo 'curl: (6) Could not resolve host: api.acme.dev' >&2; exit 1
typecheck:
\t@echo "ModuleNotFoundError: No module named 'one'" >&2; exit 1
`,
      "one.py": "",
    });
    const { stdout } = await project.init({ yes: true });
    expect(stdout).toContain("✓ test: passed in ");
    expect(stdout).toContain(
      "- lint: left out, because it cannot run here (curl: (6) Could not resolve host: api.acme.dev)\n"
    );
    expect(stdout).toContain("✗ types: ");
    expect(stdout).toMatch(
      /- format: left out, because it cannot run here \(.*no-such-runner.*\)\n/
    );
    expect(await entryPoints(project)).toEqual([[".", "test", "types"]]);
  });

  test.each([
    ["No test, lint or type-check command was found in this project", { "a.txt": "a\n" }],
    [
      "None of the checks of this project can be used here",
      { Makefile: "test:\n\t@echo >made.txt\n" },
    ],
  ])(
    "gives the reason if only an example is written: %s",
    async (why, files: Record<string, string>) => {
      const project = await InitProject.create(files);
      const { stdout } = await project.init({ yes: true });
      expect(stdout).toContain(
        `${why}, so an example check is written to ${CONFIG}; replace it with a command of your own.\n`
      );
      expect(await entryPoints(project)).toEqual([[".", "conflict-markers"]]);
    }
  );

  test("does not try or write a command whose program is missing", async () => {
    const project = await InitProject.withoutGit({
      "gradlew.bat": "",
      "build.gradle": "",
      ...TEST_ONLY,
    });
    // Some machines have Gradle.
    const path = await tempDir();
    for (const name of ["make", "sh", "bash", "git", "true"]) {
      const { stdout: found } = spawnSync("bash", ["-c", `type -P ${name}`], { encoding: "utf8" });
      if (found.startsWith("/")) symlinkSync(found.trim(), join(path, name));
    }
    const scripts = { lint: `${path}/true && true` };
    project.write({ "package.json": JSON.stringify({ scripts }) });
    const { stdout } = await project.init({ yes: true }, { env: { PATH: path } });
    expect(stdout).toContain(
      "left out: gradle test --continue (build.gradle exists): gradle was not found; install it and run init again\n"
    );
    expect(await entryPoints(project)).toEqual([[".", "lint-true", "lint-true-2", "test"]]);
  });

  test.each([
    ["without a terminal", {}],
    ["with --no-try", { yes: true, try: false }],
  ])("runs nothing %s", async (_, options) => {
    const project = await InitProject.withoutGit({ "a.txt": "a\n", Makefile: MAKEFILE });
    const { stdout } = await project.init(options);
    expect(stdout).toContain("The checks were not tried.");
    expect(project.read("a.txt")).toBe("a\n");
    expect(project.read(CONFIG)).toContain(
      '  # Makefile has "fmt-check"\n  format:\n    command: make fmt-check\n    parallel: true\n'
    );
  });

  test("can be skipped by Enter, and cancelled by Ctrl-C without a written file", async () => {
    const makefile = { Makefile: "test:\n\t@sleep 600\nlint:\n\t@sleep 600\n" };
    const project = await InitProject.withoutGit(makefile);
    const { code, stdout } = await project.init(
      {},
      {
        typed: "\r",
        prepare: (context) => {
          const write = context.stdout.write.bind(context.stdout);
          context.stdin.write("\r");
          context.stdout.write = (text) => {
            write(text);
            if (text.includes("test: make test")) setImmediate(() => context.stdin.write("\n"));
            if (text.includes("lint: make lint")) setImmediate(context.interrupt);
          };
        },
      }
    );
    expect(code).toBe(130);
    expect(stdout).toContain("- test: not tried\n");
    expect(stdout).toContain("Nothing was written.\n");
    expect(Object.keys(project.files())).toEqual(["Makefile"]);
  });

  test.each([
    ["Trust it now?", TEST_ONLY],
    ["fails today", { Makefile: "test:\n\t@exit 3\nlint:\n\t@exit 3\n" }],
  ])(
    "is followed by %s, which Ctrl-C cancels without a written file (G29)",
    async (text, files) => {
      const project = await InitProject.withoutGit(files);
      const { code, stdout } = await project.init({ hook: ["codex"] }, typing("\r", text, CTRL_C));
      expect([code, stdout.includes("Nothing was written.\n")]).toEqual([130, true]);
      expect(stdout.split(text)).toHaveLength(2);
      expect(Object.keys(project.files())).toEqual(["Makefile"]);
    }
  );
});

describe("the screen", () => {
  test("keeps the hints beside a label that needs the whole line", async () => {
    const folder = "m".repeat(120);
    const project = await InitProject.withoutGit({
      "package.json": JSON.stringify({ workspaces: [folder] }),
      [`${folder}/package.json`]: JSON.stringify({ scripts: { lint: "true" } }),
      ...TEST_ONLY,
    });
    const { stdout } = await project.init({ hook: ["none"] }, { typed: CTRL_C });
    expect(stdout).toMatch(/npm run lint \(in m+…/);
    expect(stdout).toMatch(/\[x\] make test {2,}Makefile has "test"/);
  });

  test("leaves out what the user deselects", async () => {
    const project = await InitProject.withoutGit({ Makefile: "test:\n\t@true\nlint:\n\t@true\n" });
    await project.init({}, { typed: ` ${DOWN}\r` });
    expect(await entryPoints(project)).toEqual([[".", "lint"]]);
  });

  test("writes an example, with a message, if nothing is selected", async () => {
    const project = await InitProject.withoutGit(TEST_ONLY);
    const { stdout } = await project.init({ hook: ["none"] }, { typed: " \r" });
    expect(stdout).toContain("No check is selected, so an example check is written to ");
  });

  test("shows the changes of all files with d, and accepts the preselected checks and the hooks of --hook with Enter", async () => {
    const project = await InitProject.withoutGit(TEST_ONLY);
    const { code, stdout } = await project.init({ hook: ["mux"] }, typing("d", "+++", "\r"));
    expect(code).toBe(0);
    expect(stdout).toContain("[x] make test");
    expect(stdout).toContain(`+++ ${CONFIG}\n@@ -1 +1 @@\n`);
    expect(stdout).toContain('+  # Makefile has "test"\n+  test: make test\n');
    expect(stdout).toContain("+++ .mux/settings.local.json\n");
    expect(await entryPoints(project)).toEqual([[".", "test"]]);
    expect(Object.keys(project.files())).toContain(".mux/settings.local.json");
  });

  test.each([
    ["Ctrl-C", CTRL_C],
    ["the end of the input", ""],
  ])("writes nothing after %s", async (_, typed) => {
    const project = await InitProject.withoutGit(TEST_ONLY);
    const { code, stdout } = await project.init({ hook: ["mux"] }, { typed });
    expect(code).toBe(130);
    expect(stdout).toContain("Nothing was written.\n");
    expect(Object.keys(project.files())).toEqual(["Makefile"]);
  });
});

test.each([
  [
    "Node.js",
    { test: "node --test" },
    "a.test.mjs",
    'import { test } from "node:test";\nimport assert from "node:assert";\ntest("adds", () => {\n  assert.equal(1 + 1, 3);\n});\n',
  ],
  [
    "Vitest",
    { test: "vitest run" },
    "a.test.js",
    'import { expect, test } from "vitest";\ntest("adds", () => {\n  expect(1 + 1).toBe(3);\n});\n',
  ],
])("a failing test of %s is a finding from its report", async (_, scripts, file, text) => {
  const project = await InitProject.create({
    "package.json": JSON.stringify({ type: "module", scripts }),
    ".gitignore": "node_modules\n",
    "a.txt": "a\n",
  });
  symlinkSync(resolve("node_modules"), project.at("node_modules"));
  await project.init({ yes: true, try: false });
  expect(project.read(CONFIG)).toContain("\n    findings: junit\n");
  project.write({ [file]: text });
  const place = { runtime: project.runtime, projectDir: project.dir, env: {} };
  const { gates } = await executeRun(place);
  expect(gates).toMatchObject([{ outcome: "failed", findings: [{ file, rule: "adds" }] }]);
  expect(gates[0]?.findingsProblem).toBeUndefined();
  expect(existsSync(project.at("gauntlet_logs"))).toBe(false);
  if (file === "a.test.js") return;
  // By hand, the command writes no report.
  const { checks } = parse(project.read(CONFIG)) as {
    readonly checks: { readonly test: { readonly command: string } };
  };
  const { command } = checks.test;
  const byHand = spawnSync("sh", ["-c", command], { cwd: project.dir, encoding: "utf8" });
  expect(byHand.status).toBe(1);
  expect(byHand.stdout + byHand.stderr).toContain("adds");
  expect(project.git("status", "--porcelain")).toBe(`?? .gauntlet/\n?? ${file}`);
});

test.each([
  ["is not old after a trial that passed", true, undefined],
  ["may be old without a trial", false, "check:.:test: its failure may be older than the change."],
])("a failure of a new check %s (G45)", async (_, tries, offer) => {
  const project = await InitProject.create({
    Makefile: "test:\n\t@! test -e bad || { echo no; false; }\n",
  });
  await project.init({ yes: true, try: tries });
  project.commit("init", { bad: "" });
  const { result, personMessage = "" } = await stopAt(GauntletProject.at(project.dir));
  expect(result.status).toBe("failed");
  if (offer === undefined) expect(personMessage).not.toContain("may be older");
  else expect(personMessage).toContain(offer);
});

test("--dry-run prints what would be written, and writes nothing", async () => {
  const project = await InitProject.withoutGit(TEST_ONLY);
  const { code, stdout } = await project.init({ dryRun: true, hook: ["claude"] });
  expect(code).toBe(0);
  expect(stdout).toContain(`+++ ${CONFIG}\n`);
  expect(stdout).toContain("+++ .claude/settings.local.json\n");
  expect(stdout).toContain("Nothing was written, because of --dry-run.\n");
  expect(Object.keys(project.files())).toEqual(["Makefile"]);
});

test("a workspace gets an entry point for its packages, and its root files concern all of them", async () => {
  const pack = (name: string, scripts: object, more: object = {}): string =>
    JSON.stringify({ name, version: "1.0.0", scripts, ...more });
  const project = await InitProject.create({
    "package.json": pack("root", {}, { workspaces: ["packages/*"] }),
    "packages/a/package.json": pack("a", { test: "true" }),
    "packages/b/package.json": pack("b", { test: "exit 1" }),
  });
  await project.init({ yes: true, try: false });
  expect(await entryPoints(project)).toEqual([["packages/*", "test"]]);
  project.git("add", ".");
  project.git("commit", "--quiet", "--message", "init");
  project.write({ "package.json": pack("root", { x: "" }, { workspaces: ["packages/*"] }) });
  const place = { runtime: project.runtime, projectDir: project.dir, env: {} };
  const { gates } = await executeRun(place);
  expect(gates.map(({ jobId, outcome }) => [jobId, outcome])).toEqual([
    ["check:packages/a:test", "passed"],
    ["check:packages/b:test", "failed"],
  ]);
});

describe("a second init", () => {
  const CI_YML = "checks:\n  # mine\n  test: make test # fast\n";
  const files = { Makefile: "test:\n\t@true\nlint:\n\t@exit 3\n", [CONFIG]: CI_YML };

  test("prints what is new, and changes nothing without a selection", async () => {
    const project = await InitProject.withoutGit(files);
    const { stdout } = await project.init({ yes: true });
    expect(stdout).toContain('new: lint: make lint (Makefile has "lint")\n');
    expect(project.read(CONFIG)).toBe(CI_YML);
  });

  test("adds what is selected, asks what a failure means, and keeps the trust", async () => {
    const project = await InitProject.withoutGit(files);
    const place = project.place();
    await trustNow(project.dir, project.home);
    const { stdout } = await project.init({ hook: ["none"] }, typing(" \r", "(n, default)", "a\n"));
    expect(stdout).toMatch(/✗ lint: fails now[^\n]*\n(?: {4}\| .*\n)* {4}\| make.*Error 3\n/);
    expect(stdout).toContain("lint fails today. Should it block on new failures only");
    expect(stdout).not.toContain("twice to record");
    expect(project.read(CONFIG)).toMatch(
      /^checks:\n {2}# mine\n {2}test: make test # fast\n {2}# Makefile has "lint"\n.*\n {2}lint:\n {4}command: make lint\n/
    );
    const store = (await findTrustStore(place.runtime, place))!;
    const { files: after } = await readGates(place.runtime, project.dir);
    const trust = (await readTrust(store, place.runtime, project.dir))._unsafeUnwrap();
    expect(trust.sets.some((set) => areSame(set.files, after))).toBe(true);
  });

  test("does not make gates of the project count as used before, by the failures that it records (G24a)", async () => {
    const project = await InitProject.create(files);
    const { runtime, ...place } = project.place();
    const { stdout } = await project.init({ hook: ["none"] }, typing(" \r", "(n, default)", "n\n"));
    expect(stdout).toContain("twice to record");
    const store = (await findTrustStore(runtime, place))!;
    const trust = (await readTrust(store, runtime, project.dir))._unsafeUnwrap();
    expect(await ranBefore(runtime, project.dir, trust, new Date())).toBe(false);
  });
});

test("tests are not due for a change of texts that no code reads", async () => {
  const project = await InitProject.create(TEST_ONLY);
  const whenOf = async (): Promise<unknown> =>
    (await InitPlan.create(project.place())).checks.map(({ written }) => written?.when);
  const pyproject = (line: string) => `[project]\nreadme = "README.md"\n${line}\n`;
  for (const [when, readme, path, code] of [
    [["!*.md"], "README.md", "a.py", "def f(): pass\n"],
    [undefined, "README.md", "a.py", "open('README.md')\n"],
    [undefined, "README.txt", "a.py", "def f(): pass\n"],
    [undefined, "README.md", "test/a_test.exs", 'doctest_file "README.md"\n'],
    [undefined, "README.md", "pyproject.toml", pyproject('testpaths = ["README.md"]')],
    [["!*.md"], "README.md", "pyproject.toml", pyproject('Changelog = "https://a/CHANGES.md"')],
    [["!*.md"], "README.md", ".github/ci.yml", "paths-ignore: ['*.md']\n"],
  ] as const) {
    project.write({ [path]: code, [readme]: "" });
    expect(await whenOf(), code).toEqual([when]);
    for (const each of [path, readme]) rmSync(project.at(each));
  }
  project.write({ "README.md": "" });
  await project.init();
  expect(parse(project.read(CONFIG))).toMatchObject({
    checks: { test: { command: "make test", when: ["!*.md"] } },
  });
});
