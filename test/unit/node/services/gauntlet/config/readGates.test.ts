import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { GateDefinition } from "@/node/services/gauntlet/domain/gate";
import { folderWith } from "@test/helpers/tempDir";
import { loadWhole, problemsOf } from "@test/unit/node/services/gauntlet/config/project";

/** Creates a project with one entry point whose keys are these lines of YAML. */
function withGates(keys: string, files: Readonly<Record<string, string | Uint8Array>> = {}) {
  const contents = Object.entries(files).map(([name, content]) => [`.gauntlet/${name}`, content]);
  return folderWith({
    ...(Object.fromEntries(contents) as typeof files),
    ".gauntlet/config.yml": `entry_points:\n  - path: src\n    ${keys}\n`,
  });
}

async function gatesOf(dir: string): Promise<readonly GateDefinition[]> {
  return (await loadWhole(dir)).entryPoints[0]!.gates;
}

/** Returns the first line of each problem, without its excerpt. */
async function headsOf(dir: string): Promise<string[]> {
  return (await problemsOf(dir)).map((problem) => problem.split("\n", 1)[0]!);
}

describe("a check", () => {
  it("has every default if only a command is given (G4)", async () => {
    const dir = await withGates("checks: [lint]", { "checks/lint.yml": "command: eslint .\n" });
    expect(await gatesOf(dir)).toEqual([
      {
        kind: "check",
        name: "lint",
        command: "eslint .",
        source: { file: join(dir, ".gauntlet/checks/lint.yml"), line: 1, column: 1 },
        parallel: false,
        runInCi: true,
        runLocally: true,
        timeoutS: 300,
        failFast: false,
        env: {},
      },
    ]);
  });

  it("has the configured values (G4)", async () => {
    const dir = await withGates("checks: [unit.fast]", {
      "checks/unit.fast.yml": `command: |
  echo a
  echo b
rerun_command: npm test -- --failed
working_directory: .
run_in_ci: false
run_locally: false
timeout: 0.5
fail_fast: true
inputs: [src/**]
`,
    });
    expect((await gatesOf(dir))[0]).toMatchObject({
      name: "unit.fast",
      command: "echo a\necho b\n",
      rerunCommand: "npm test -- --failed",
      workingDirectory: ".",
      runInCi: false,
      runLocally: false,
      timeoutS: 0.5,
      failFast: true,
      inputs: ["src/**"],
    });
  });

  it("keeps its variables as they are written", async () => {
    const env = "{VERSION: 1.10, ZERO: 007, ON: true, EMPTY: '', TEXT: a b, __proto__: x}";
    const dir = await withGates(`checks: [{a: {command: x, env: ${env}}}]`);
    const [gate] = await gatesOf(dir);
    const expected = { VERSION: "1.10", ZERO: "007", ON: "true", EMPTY: "", TEXT: "a b" };
    expect(gate).toMatchObject({ env: expected });
    expect(Object.getPrototypeOf((gate as { env: object }).env)).toBe(Object.prototype);
  });

  it("has a limit of at most a day, which does not overflow a timer", async () => {
    const dir = await withGates("checks: [{a: {command: x, timeout: 1e9}}]");
    expect((await gatesOf(dir))[0]).toMatchObject({ timeoutS: 86_400 });
  });

  it("that is parallel gets a warning for fail_fast, which has no effect (G4)", async () => {
    const dir = await withGates("checks: [{a: {command: x, parallel: true, fail_fast: true}}]");
    expect(await headsOf(dir)).toEqual([
      "warning: .gauntlet/config.yml:3:58: entry_points[0].checks[0].a.fail_fast: it has no effect, because this check is parallel",
    ]);
  });

  it("with a placeholder that cannot work is an error, and unused `files` a warning (G32)", async () => {
    const checks = [
      { a: { command: "lint '{files}'" } },
      { b: { command: "lint {files}", rerun_command: "xargs -0 lint {files0} {files}" } },
      { c: { command: "lint {files0} <<EOF" } },
      { d: { command: "lint ${files}", files: ["*.ts"] } },
      { e: { command: "lint", rerun_command: "lint {files}", files: ["*.ts"], when: ["db"] } },
    ];
    const dir = await withGates(`checks: ${JSON.stringify(checks)}`);
    const heads = (await headsOf(dir)).map((head) => head.replace(/^(\w+): .*checks/, "$1 checks"));
    expect(heads).toEqual([
      "error checks[0].a.command: {files} must be a word of its own outside quotes, as in `eslint {files}`",
      "error checks[1].b.rerun_command: a command can have {files} or {files0}, but not both",
      "error checks[2].c.command: a command with {files0} cannot contain a here-document (<<) or a function; move it to a script",
      'warning checks[3].d.files: it has no effect, because the command has no "{files}" and no "{files0}"',
    ]);
  });

  it("is named after its file, regardless of a name in it", async () => {
    const dir = await withGates("checks: [lint]", {
      "checks/lint.yml": "name: style\ncommand: x\n",
    });
    expect(await headsOf(dir)).toEqual([
      'warning: .gauntlet/checks/lint.yml:1:7: name: this check is named "lint", after its file; the key "name" is ignored',
    ]);
  });

  it.each([
    ["timeout: 5", "command: missing: expected a shell command"],
    ["command:", "command: expected a shell command, found no value"],
    ["command: ''", 'command: expected a shell command, found ""'],
    ['command: "a\\0b"', "command: expected a shell command"],
    // YAML would silently invert the check.
    ["command: ! grep BAD .", "error: .gauntlet/checks/lint.yml:1:10: command: YAML reads ! as"],
    ["command: [npm, test]", "command: expected a shell command, found a list"],
    ["command: x\ntimeout: 5m", 'timeout: expected a number of seconds greater than 0, found "5m"'],
    ["command: x\ntimeout: 0", "timeout: expected a number of seconds greater than 0, found 0"],
    ["command: x\ntimeout: .nan", "timeout: expected a number of seconds greater than 0"],
    ["command: x\nenv: {A=B: 1}", 'env["A=B"]: '],
    ["command: x\nenv: {A: [1]}", "env.A: expected text, found a list"],
    ["command: x\nenv: {A: }", "env.A: expected text, found no value"],
    ["command: x\ninputs: src", 'inputs: expected a list of globs, found "src"'],
    ["npm test", 'expected a definition, as in `command: npm test`, found "npm test"'],
  ])("with the definition %j is reported (G5)", async (text, expected) => {
    const dir = await withGates("checks: [lint]", { "checks/lint.yml": `${text}\n` });
    expect((await problemsOf(dir)).join("\n")).toContain(expected);
    // An invalid gate still exists.
    expect((await problemsOf(dir)).join("\n")).not.toContain("there is no check named");
  });
});

describe("a review", () => {
  it("consists of a front matter and a prompt (G4)", async () => {
    const text =
      "---\ncli_preference: [codex]\nnum_reviews: 2\nmodel: fast\ntimeout: 60\nenabled: false\nparallel: false\n---\n\n# Look\n---\nclosely\n";
    const dir = await withGates("reviews: [look]", { "reviews/look.md": text });
    expect(await gatesOf(dir)).toEqual([
      {
        kind: "review",
        name: "look",
        source: { file: join(dir, ".gauntlet/reviews/look.md"), line: 1, column: 1 },
        prompt: { text: "# Look\n---\nclosely" },
        cliPreference: ["codex"],
        numReviews: 2,
        model: "fast",
        timeoutS: 60,
        enabled: false,
        parallel: false,
        runInCi: true,
        runLocally: true,
      },
    ]);
  });

  it.each([
    ["no front matter", "look\n---\nclosely"],
    ["an empty front matter", "---\n---\nlook\n---\nclosely"],
    ["CRLF and a byte order mark", "\uFEFF---\r\nnum_reviews: 1\r\n---\r\nlook\n---\nclosely"],
  ])("may have %s (G4)", async (_, text) => {
    const dir = await withGates("reviews: [r]", { "reviews/r.md": text });
    expect((await gatesOf(dir))[0]).toMatchObject({
      prompt: { text: "look\n---\nclosely" },
      numReviews: 1,
      parallel: true,
      enabled: true,
    });
  });

  it("may be inline with a built-in prompt (G4)", async () => {
    const dir = await withGates("reviews: [{safe: {builtin: security, num_reviews: 2}}]");
    expect((await gatesOf(dir))[0]).toMatchObject({
      name: "safe",
      prompt: { builtin: "security" },
      numReviews: 2,
      source: { line: 3, column: 16 },
    });
  });

  it.each([
    ["---\nnum_reviews: 1\nlook", "r.md:1:1: the front matter that begins in this line has no"],
    ["---\nnum_reviews: none\n---\nlook", "r.md:2:14: num_reviews: expected a whole number"],
    ["---\r\na: 1\r\nmodle: x\r\n---\r\nlook", "r.md:3:1: modle: unknown key (ignored)"],
    ["---js\nprocess.exit(1)\n---\nlook", ""],
    ["---\nnum_reviews: 1\n---\n", "r.md:1:1: it has no prompt"],
  ])("with the text %j is reported (G5)", async (text, expected) => {
    const dir = await withGates("reviews: [r]", { "reviews/r.md": text });
    expect((await problemsOf(dir)).join("\n")).toContain(expected);
  });

  it("that is inline without a known prompt is reported with the known ones (G5)", async () => {
    const dir = await withGates("reviews: [{a: {builtin: securty}}, {b: {model: x}}]");
    expect(await headsOf(dir)).toEqual([
      'error: .gauntlet/config.yml:3:29: entry_points[0].reviews[0].a.builtin: expected one of code-quality, security, error-handling, test-integrity, found "securty"; did you mean "security"?',
      "error: .gauntlet/config.yml:3:44: entry_points[0].reviews[1].b.builtin: missing: expected one of code-quality, security, error-handling, test-integrity",
    ]);
  });
});

describe("an entry point", () => {
  it("has its checks before its reviews, in configured order", async () => {
    const dir = await withGates("reviews: [r]\n    checks: [b, {c: {command: z}}, a]", {
      "checks/a.yml": "command: x\n",
      "checks/b.yml": "command: y\n",
      "reviews/r.md": "look",
    });
    expect((await gatesOf(dir)).map(({ name }) => name)).toEqual(["b", "c", "a", "r"]);
  });

  it("that names a missing gate is reported with the existing ones (G5)", async () => {
    const dir = await withGates("checks: [types]\n    reviews: [lint]", {
      "checks/lint.yml": "command: x\n",
      "checks/test.yml": "command: y\n",
    });
    expect(await headsOf(dir)).toEqual([
      'error: .gauntlet/config.yml:3:14: entry_points[0].checks[0]: there is no check named "types"; defined are: lint, test',
      'error: .gauntlet/config.yml:4:15: entry_points[0].reviews[0]: there is no review named "lint"; there is no file .gauntlet/reviews/*.md',
    ]);
  });

  it("names each gate once; a second one is ignored (G10)", async () => {
    const dir = await withGates("checks: [{a: {command: x}}, {a: {command: y}}]");
    expect(await headsOf(dir)).toEqual([
      'warning: .gauntlet/config.yml:3:33: entry_points[0].checks[1]: "a" is listed more than once; the first entry counts',
    ]);
  });

  it("with an item that is neither a name nor a definition is reported (G5)", async () => {
    const dir = await withGates(
      "checks:\n    - a:\n      command: x\n    - 3\n    - [x]\n    - a:"
    );
    expect(await headsOf(dir)).toEqual([
      "error: .gauntlet/config.yml:4:7: entry_points[0].checks[0]: expected the name of a check, or one name with its definition, as in `- name: {command: npm test}`, found a mapping (a, command)",
      expect.stringContaining("checks[1]: expected the name of a check, or one name with its"),
      expect.stringContaining("found a list"),
      expect.stringContaining(
        "checks[3].a: expected a definition, as in `command: npm test`, found no"
      ),
    ]);
  });

  it("warns about files that are not read because of their names", async () => {
    const dir = await withGates("checks: []", {
      "checks/lint.yaml": "command: x\n",
      "checks/notes.txt": "",
      "checks/.lint.yml.swp": "",
      "reviews/r.yml": "",
    });
    expect(await headsOf(dir)).toEqual([
      "warning: .gauntlet/checks/lint.yaml:1:1: it is ignored, because only files whose name ends in .yml are read from this folder",
      "warning: .gauntlet/reviews/r.yml:1:1: it is ignored, because only files whose name ends in .md are read from this folder",
    ]);
  });
});

describe("a report setting (G20c)", () => {
  const problemsWith = async (report: string, field: string, glob: string): Promise<string[]> => {
    const check = `command: x {files}\nfindings: junit:${report}\n${field}: ["${glob}"]\n`;
    return await headsOf(await withGates("checks: [test]", { "checks/test.yml": check }));
  };

  it.each([
    ["src/*.ts", "files", "src/*.ts"],
    ["./src/*.ts", "inputs", "src/*.ts"],
    ["src/a.ts", "files", "src/**"],
    ["reports/unit.xml", "inputs", "reports"],
    ["reports/unit.xml", "inputs", "."],
    ["reports/*.xml", "inputs", "reports/fixture.xml"],
  ])("cannot be %s if %s has %s", async (report, field, glob) => {
    expect(await problemsWith(report, field, glob)).toEqual([
      expect.stringContaining(`"junit:${report}" overlaps with "${glob}" in its "${field}"`),
    ]);
  });

  it("may be another glob", async () => {
    expect(await problemsWith("reports/*.xml", "files", "**/*.ts")).toEqual([]);
    expect(await problemsWith("reports/unit.xml", "inputs", "src/**")).toEqual([]);
  });
});
