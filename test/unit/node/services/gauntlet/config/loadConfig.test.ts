import { writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { LocalFiles } from "@/node/runtime/local/LocalFiles";
import { loadGauntletConfig } from "@/node/services/gauntlet/config/loadConfig";
import { folderWith } from "@test/helpers/tempDir";
import {
  configured,
  loadWhole,
  MINIMAL,
  problemsOf,
} from "@test/unit/node/services/gauntlet/config/project";

const files = new LocalFiles();

describe("loadGauntletConfig", () => {
  it("returns none if there is no file", async () => {
    expect(await loadGauntletConfig(files, await folderWith({}))).toEqual({ kind: "none" });
  });

  it("sets every default if only entry points are given", async () => {
    expect(await loadWhole(await configured(MINIMAL))).toEqual({
      baseBranch: "origin/main",
      isDefaultBase: true,
      logDir: undefined,
      allowParallel: true,
      maxParallel: availableParallelism(),
      maxRetries: 3,
      rerunNewIssueThreshold: "high",
      globalDependencies: [],
      cli: { defaultPreference: [], commands: {} },
      debugLog: { enabled: false, maxSizeMb: 10 },
      stopHook: {},
      entryPoints: [{ path: ".", exclude: [], gates: [] }],
      digest: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    });
  });

  it("reads checks of the root without entry points (G4)", async () => {
    const text = `checks:
  test: npm test
  lint: { command: "npx eslint {files}", files: ["*.js"] }
  types:
`;
    const files = { ".gauntlet/config.yml": text, ".gauntlet/checks/types.yml": "command: tsc\n" };
    const { entryPoints } = await loadWhole(await folderWith(files));
    expect(entryPoints).toMatchObject([
      {
        path: ".",
        exclude: [],
        gates: [
          { name: "test", command: "npm test", source: { line: 2, column: 3 } },
          { name: "lint", command: "npx eslint {files}", files: ["*.js"] },
          { name: "types", command: "tsc" },
        ],
      },
    ]);
    const both =
      "checks: { test: npm test }\nentry_points: [{ path: src, checks: [a: { command: x }] }]\n";
    const { entryPoints: all } = await loadWhole(await configured(both));
    expect(all.map(({ path, gates }) => [path, gates.map(({ name }) => name)])).toEqual([
      [".", ["test"]],
      ["src", ["a"]],
    ]);
  });

  it("returns the configured values", async () => {
    const dir = await configured(`
base_branch: develop
log_dir: ./build//logs/
allow_parallel: false
max_parallel: 2
max_retries: 0
rerun_new_issue_threshold: low
cli: {default_preference: [mine], check_usage_limit: true, commands: {mine: "./review.sh | cat"}}
debug_log: {enabled: true, max_size_mb: 0.5}
stop_hook: {enabled: false, verify_fixes: false}
global_dependencies: ["*.lock"]
entry_points:
  - {path: packages/*, exclude: ["**/*.md"]}
`);
    expect(await loadWhole(dir)).toMatchObject({
      baseBranch: "develop",
      logDir: "build/logs",
      allowParallel: false,
      maxParallel: 2,
      maxRetries: 0,
      rerunNewIssueThreshold: "low",
      globalDependencies: ["*.lock"],
      cli: { defaultPreference: ["mine"], commands: { mine: "./review.sh | cat" } },
      debugLog: { enabled: true, maxSizeMb: 0.5 },
      stopHook: { enabled: false, verifyFixes: false },
      entryPoints: [{ path: "packages/*", exclude: ["**/*.md"], gates: [] }],
    });
  });

  it("treats a key without a value as absent", async () => {
    const dir = await configured(
      "log_dir:\ncli:\nstop_hook:\n  enabled:\nentry_points:\n  - path: .\n    checks:\n"
    );
    expect(await loadWhole(dir)).toMatchObject({ logDir: undefined, stopHook: {} });
  });
});

describe("problems", () => {
  it("are reported all at once, each with its line and a squiggle (G5)", async () => {
    const dir = await folderWith({
      ".gauntlet/config.yml": `base_brnach: main
max_retries: many
rerun_new_issue_threshold: hihg
entry_points:
  - path: src
    checks: [lint, tset]
`,
      ".gauntlet/checks/lint.yml": "command: eslint .\ntimeout: -5\n",
      ".gauntlet/checks/test.yml": "command: npm test\n",
    });
    expect(await problemsOf(dir)).toEqual([
      `warning: .gauntlet/config.yml:1:1: base_brnach: unknown key (ignored); did you mean "base_branch"?
 1 | base_brnach: main
     ~~~~~~~~~~~`,
      `error: .gauntlet/config.yml:2:14: max_retries: expected a whole number of at least 0, found "many"
 2 | max_retries: many
                  ~~~~`,
      `error: .gauntlet/config.yml:3:28: rerun_new_issue_threshold: expected one of critical, high, medium, low, found "hihg"; did you mean "high"?
 3 | rerun_new_issue_threshold: hihg
                                ~~~~`,
      `error: .gauntlet/config.yml:6:20: entry_points[0].checks[1]: there is no check named "tset"; defined are: lint, test; did you mean "test"?
 6 |     checks: [lint, tset]
                        ~~~~`,
      `error: .gauntlet/checks/lint.yml:2:10: timeout: expected a number of seconds greater than 0, found -5
 2 | timeout: -5
              ~~`,
    ]);
  });

  it("with an unknown key are a warning in a run and an error for validate (G5)", async () => {
    const dir = await configured(`max_retry: 1\n${MINIMAL}`);
    const inRun = await loadGauntletConfig(files, dir);
    const strict = await loadGauntletConfig(files, dir, { strict: true });
    expect([inRun.kind, strict.kind]).toEqual(["valid", "invalid"]);
    expect((await problemsOf(dir, { strict: true }))[0]).toContain(
      'error: .gauntlet/config.yml:1:1: max_retry: unknown key; did you mean "max_retries"?'
    );
  });

  it("name unknown keys and reviewers at every depth (G5)", async () => {
    const dir = await configured(
      "cli: {comands: {}, default_preference: [mine, claud], commands: {mine: x}}\nentry_points:\n  - path: .\n    check: []\n    checks: [{a: {command: x, time_out: 3}}]\n    reviews: [{b: {builtin: security, cli_preference: [agent]}}]\n"
    );
    expect((await loadGauntletConfig(files, dir)).kind).toBe("valid");
    const heads = (await problemsOf(dir)).map((text) => text.split("\n")[0]);
    expect(heads).toEqual([
      expect.stringContaining('cli.comands: unknown key (ignored); did you mean "commands"?'),
      expect.stringContaining(
        'entry_points[0].check: unknown key (ignored); did you mean "checks"'
      ),
      expect.stringContaining('].a.time_out: unknown key (ignored); did you mean "timeout"?'),
      expect.stringMatching(
        /cli.default_preference\[1]: there is no reviewer named "claud"; .*; did you mean "claude"\?$/
      ),
      expect.stringMatching(/].b.cli_preference\[0]: .*qwen, mine; did you mean "cursor"\?$/),
    ]);
  });

  it.each([
    ["", "entry_points: missing: expected a list of at least one entry point"],
    ["just text", 'expected a mapping, found "just text"'],
    ["entry_points: src", 'as in `- path: src`, found "src"'],
    ["entry_points: [{checks: []}]", "entry_points[0].path: missing: expected a folder in the"],
    ["entry_points: [src]", "entry_points[0]: expected an entry point, as in `- path: src`"],
    ["entry_points: [{path: ../other}]", "expected a path inside the project"],
    ["entry_points: [{path: ., exclude: [3]}]", "exclude[0]: expected a glob, found 3"],
    [`max_parallel: 0\n${MINIMAL}`, "max_parallel: expected a whole number of at least 1, found 0"],
    [`max_retries: 1.5\n${MINIMAL}`, "max_retries: expected a whole number of at least 0"],
    [`allow_parallel: yes\n${MINIMAL}`, 'allow_parallel: expected true or false, found "yes"'],
    [`base_branch: --upload-pack=x\n${MINIMAL}`, "base_branch: expected the name of a branch"],
    [`cli: {commands: {a: 1}}\n${MINIMAL}`, "cli.commands.a: expected a shell command, found 1"],
    [`max_retries: 1\nmax_retries: 2\n${MINIMAL}`, "max_retries: this key is given more than once"],
    ["a: 'x\nb: 1", "this is not valid YAML: Missing closing 'quote"],
    [`${MINIMAL}---\nb: 1\n`, "the file contains a second YAML document"],
    ["? [a]\n: 1\n", "this is not valid YAML: "],
    ["entry_points: *nobody", "*nobody: there is no &nobody before it"],
    ["checks: [test]", "config.yml:1:9: checks: expected a mapping, as in `test: npm test`"],
    ["checks: {}", "entry_points: missing: expected a list of at least one entry point"],
    ["checks: { test: 3 }", "command: expected a shell command, found 3"],
    ["checks: { test: \"x '{files}'\" }", "{files} must be a word of its own"],
    ["checks:\n  tset:", 'config.yml:2:3: checks.tset: there is no check named "tset"'],
    ["checks: { a: { comand: x } }", "checks.a.command: missing"],
    // YAML that would silently invert or empty a gauntlet.
    ["checks: {c: {command: !x y}}", "YAML reads !x as a tag"],
    ["entry_points: !l [{path: .}]", "YAML reads !l as a tag"],
    ["entry_points: []", "yml:1:15: entry_points: expected a list"],
  ])("are reported for %j (G5)", async (text, expected) => {
    const dir = await configured(text);
    const load = await loadGauntletConfig(files, dir);
    expect(load.kind).toBe("invalid");
    expect((await problemsOf(dir)).join("\n")).toContain(expected);
  });

  it("are reported for a log_dir that leaves the project or is its root (G18)", async () => {
    for (const [logDir, fault] of [
      [".", "is the project itself"],
      ["./logs/..", "is the project itself"],
      ["../logs", "is outside the project"],
      ["/var/log", "is outside the project"],
      ["a/../../b", "is outside the project"],
      [".git/logs", "belongs to git"],
      [".gauntlet", "contains the configuration"],
    ] as const) {
      const [problem] = await problemsOf(await configured(`log_dir: ${logDir}\n${MINIMAL}`));
      expect(problem).toContain(`.gauntlet/config.yml:1:10: log_dir: expected a folder inside`);
      expect(problem).toContain(`"${logDir}" ${fault}`);
    }
  });

  it.each(["pdf", "github", "html=", "html=../a", "html=a//b", "html=.git/a", "html=a/"])(
    "are reported for the report %s (G50)",
    async (report) => {
      const [problem] = await problemsOf(await configured(`report: ["${report}"]\n${MINIMAL}`));
      expect(problem).toContain("report[0]: expected markdown, junit,");
    }
  );

  it("are not reported for an absolute log_dir within the project", async () => {
    const dir = await configured(MINIMAL);
    await writeFile(join(dir, ".gauntlet/config.yml"), `log_dir: ${dir}/..logs\n${MINIMAL}`);
    expect((await loadWhole(dir)).logDir).toBe("..logs");
  });

  it("are not reported for YAML's own tags, and a quoted command (G5)", async () => {
    const dir = await configured(
      'entry_points: [{path: !!str ., checks: [{c: {command: "! grep -rq BAD ."}}]}]\n'
    );
    expect(await problemsOf(dir)).toEqual([]);
  });

  it("are a warning if a project sets the interval, which belongs to the user (G6)", async () => {
    const dir = await configured(`stop_hook: {run_interval_minutes: 5}\n${MINIMAL}`);
    const load = await loadGauntletConfig(files, dir);
    expect(load.kind).toBe("valid");
    expect((await problemsOf(dir))[0]).toMatch(
      /^warning: .gauntlet\/config.yml:1:35: stop_hook.run_interval_minutes: it has no effect in a project/
    );
  });

  it("are a warning in strict mode alone if check_usage_limit is true, because it has no effect (G12a)", async () => {
    const dir = await configured(`cli: {check_usage_limit: true}\n${MINIMAL}`);
    expect(await problemsOf(dir, { strict: true })).toEqual([
      expect.stringMatching(
        /^warning: .gauntlet\/config.yml:1:26: cli.check_usage_limit: it has no effect/
      ),
    ]);
    expect((await loadGauntletConfig(files, dir, { strict: true })).kind).toBe("valid");
    expect(await problemsOf(dir)).toEqual([]);
    const off = await configured(`cli: {check_usage_limit: false}\n${MINIMAL}`);
    expect(await problemsOf(off, { strict: true })).toEqual([]);
  });

  it.each([
    [
      "of several lines have a squiggle below the first line",
      `base_branch:\n  a: 1\n  b: 2\n${MINIMAL}`,
      `config.yml:2:3: base_branch: expected the name of a branch, found a mapping (a, b)
 2 |   a: 1
       ~~~~`,
    ],
    [
      "that are empty are located at their key",
      "entry_points:\n  - path:\n",
      `config.yml:2:5: entry_points[0].path: expected a folder in the project, or a glob for folders, found no value
 2 |   - path:
         ~~~~`,
    ],
    [
      "of an alias are located at the alias",
      "x: &x [&y 3, *y]\nz: [&y 4, *x]\nentry_points: [{path: *y}]\n",
      `config.yml:3:23: entry_points[0].path: expected a folder in the project, or a glob for folders, found 4
 3 | entry_points: [{path: *y}]
                           ~~`,
    ],
  ])("with values %s (G5)", async (_, text, expected) => {
    expect((await problemsOf(await configured(text))).at(-1)).toBe(`error: .gauntlet/${expected}`);
  });

  it("are counted instead of listed after the fiftieth of a file", async () => {
    const keys = Array.from({ length: 80 }, (_, i) => `zz${i}: 1\n`).join("");
    const problems = await problemsOf(await configured(`${keys}max_retries: x\n${MINIMAL}`));
    expect(problems).toHaveLength(51);
    expect(problems.at(-1)).toMatch(/^error: .*and 31 further problems in this file$/);
  });
});

describe("the digest", () => {
  const digestOf = async (dir: string): Promise<string> => {
    const load = await loadGauntletConfig(new LocalFiles(), dir);
    return load.kind === "valid" ? load.config.digest : load.kind;
  };
  const CONTENTS = {
    ".gauntlet/config.yml": MINIMAL,
    ".gauntlet/checks/a.yml": "command: a\n",
    ".gauntlet/reviews/r.md": "look\n",
  };

  it("is the same for the same files at any location (G24a)", async () => {
    const [one, two] = await Promise.all([folderWith(CONTENTS), folderWith(CONTENTS)]);
    expect(await digestOf(one)).toBe(await digestOf(two));
  });

  it("differs if any file is changed, added or renamed (G24a)", async () => {
    const { ".gauntlet/checks/a.yml": check, ...others } = CONTENTS;
    const variants = [
      CONTENTS,
      { ...CONTENTS, ".gauntlet/config.yml": `${MINIMAL}# more\n` },
      { ...CONTENTS, ".gauntlet/checks/a.yml": "command: b\n" },
      { ...CONTENTS, ".gauntlet/checks/b.yml": "command: b\n" },
      { ...CONTENTS, ".gauntlet/reviews/r.md": "look away\n" },
      { ...others, ".gauntlet/checks/c.yml": check },
      others,
    ];
    const digests = await Promise.all(
      variants.map(async (contents) => await digestOf(await folderWith(contents)))
    );
    expect(new Set(digests).size).toBe(variants.length);
  });
});
