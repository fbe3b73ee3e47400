/** The findings of checks that fail: from their output and from reports, in results, lists and reasons. */
import { readFile, symlink } from "node:fs/promises";
import { expect, test } from "vitest";
import { stopReason } from "@/node/services/gauntlet/hook/stopReason";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { stopAt } from "@test/helpers/gauntlet/stops";
import { folderWith } from "@test/helpers/tempDir";

const CONFIG = "entry_points:\n  - path: src\n    checks: [it]\n";

interface Options {
  readonly config?: string;
  readonly prepare?: (project: GauntletProject) => Promise<void>;
}

async function stopWith(check: string, { config = CONFIG, prepare }: Options = {}) {
  const project = await GauntletProject.create(config, { it: check });
  await prepare?.(project);
  await project.write("src/a.txt", "b\n");
  const { result } = await stopAt(project);
  const reason = await stopReason(project.runtime, result);
  return { project, result, gate: result.gates[0]!, reason };
}

const OUTPUT = `command: |
  echo "$PWD/other.js:1:2: Old problem. [Error/old]"
  echo "a.txt:3:4: Only a hint. [Warning/hint]"
  echo "../src/a.txt:1:1: New problem. [Error/new]"
  echo "unrelated line"
  exit 1
`;

test("has the findings of the output, those in changed files first (G37)", async () => {
  const { project, gate, reason } = await stopWith(OUTPUT);
  expect(gate.outcome).toBe("failed");
  const found = (file: string, line: number, column: number) => ({ file, line, column });
  expect(gate.findings).toEqual([
    { ...found("src/a.txt", 1, 1), severity: "error", rule: "new", message: "New problem." },
    { ...found("src/a.txt", 3, 4), severity: "warning", rule: "hint", message: "Only a hint." },
    { ...found("src/other.js", 1, 2), severity: "error", rule: "old", message: "Old problem." },
  ]);
  const list = project.path("gauntlet_logs/findings_src_it.1.txt");
  expect(gate.findingsPath).toBe(list);
  expect(await readFile(list, "utf8")).toBe(
    "src/a.txt:1:1 New problem. [new]\nsrc/a.txt:3:4 warning: Only a hint. [hint]\nsrc/other.js:1:2 Old problem. [old]\n"
  );
  expect(reason).toContain(
    `  3 findings in 2 files; full list: ${list}\n      | src/a.txt:1:1 New problem. [new]\n`
  );
  expect(reason.indexOf("src/a.txt:1:1")).toBeLessThan(reason.indexOf("unrelated line"));
  // The log does not repeat a finding.
  expect(reason.match(/^ +\| .*Old problem/gm)).toHaveLength(1);
  const report = await project.read("gauntlet_logs/report.1.json");
  expect(JSON.parse(report)).toMatchObject({ gates: [{ findings: [{ rule: "new" }, {}, {}] }] });
});

test("are found in the last 512 KiB of the output, and with a format before that as well (G37)", async () => {
  const early = "command: |\n  echo 'a.txt:3:4: Early. [Error/old]'; seq 99999; exit 1\n";
  expect((await stopWith(early)).gate.findings).toBeUndefined();
  expect((await stopWith(`${early}findings: eslint-unix\n`)).gate.findings).toHaveLength(1);
});

test("has none with `findings: none`, and none of a check that passed (G37)", async () => {
  const off = await stopWith(`${OUTPUT}findings: none\n`);
  expect(off.gate).not.toHaveProperty("findings");
  const sources = "findings: [junit, eslint-unix]\n";
  const passed = await stopWith(`${OUTPUT.replace("exit 1", "exit 0")}${sources}`);
  expect(passed.gate).not.toHaveProperty("findings");
  const list = "gauntlet_logs/previous/findings_src_it.1.txt";
  await expect(passed.project.read(list)).rejects.toThrow();
});

test.each([
  ["", 6_000],
  ["reason_budget: 300\n", 1_200],
])("the reason stays within its budget %j, and counts the rest (G37)", async (budget, chars) => {
  const many = `command: |
  for i in $(seq 1500); do echo "f$i.js:$i:1: Something is wrong here. [Error/rule]"; done
  exit 1
`;
  const config = `${budget}${CONFIG}`;
  const { gate, reason, project, result } = await stopWith(many, { config });
  expect(gate.findings).toHaveLength(1_000);
  const problem = "its findings are incomplete: only 1000 of 1500 are listed";
  expect(result.warnings).toContain(`check:src:it: ${problem}`);
  const list = await readFile(gate.findingsPath!, "utf8");
  expect(list).toContain("\n500 findings more, not listed\n");
  expect(reason.length).toBeLessThanOrEqual(chars);
  expect(reason.length).toBeGreaterThan(chars * 0.7);
  if (chars === 6_000)
    expect(reason).toMatch(
      /\| src\/f1\.js:1:1 .*\n[^]*… and (\d+) more findings; \1 files with findings not named here\n/
    );
  expect(reason).toContain(project.dir);
});

test("reads only reports that the command wrote, inside of the project; a broken one is a warning (G37)", async () => {
  const outside = await folderWith({ "secret.xml": junit("secret") });
  const command = [
    "cp new.xml out/new.xml; echo '<testsuite><failure' >broken.xml",
    `touch ${outside}/secret.xml folder/secret.xml; ln -s ${outside}/secret.xml out/link.xml; exit 1`,
  ].join("; ");
  const findings = ["out/*.xml", "folder/*.xml", "broken.xml"].map((glob) => `junit:${glob}`);
  const { gate, result } = await stopWith(
    `command: ${JSON.stringify(command)}\nfindings: ${JSON.stringify(findings)}\n`,
    {
      prepare: async (project) => {
        await project.write("src/out/old.xml", junit("old"));
        await project.write("src/new.xml", junit("new"));
        await symlink(outside, project.path("src/folder"));
      },
    }
  );
  expect(gate.outcome).toBe("failed");
  expect(gate.findings?.map(({ message }) => message)).toEqual(["new"]);
  const [problem = "", ...others] = result.warnings;
  expect(problem).toMatch(/^check:src:it: its findings are incomplete: /);
  expect(problem).toMatch(/link\.xml is ignored.*secret\.xml is ignored/);
  expect(problem).toMatch(/broken\.xml cannot be parsed: /);
  expect(others.join("\n")).toContain('add "src/out/*.xml" to .gitignore');
});

test("a pattern that backtracks endlessly ends at its time limit, and a Go file is found in the folder of its package (G37)", async () => {
  const check = `command: |
  echo "first.js:1: found"
  printf 'a%.0s' $(seq 200); echo "!"
  printf -- '--- FAIL: TestA (0.0s)\\n    a_test.go:7: wrong\\nFAIL\\nFAIL\\texample.com/m/inner/a\\t0.1s\\n'
  exit 1
findings:
  - go
  - pattern: { regexp: '^(?:(\\S+\\.js):(\\d+): (.*)|(a+)+)$', file: 1, line: 2, message: 3 }
`;
  const { gate, result } = await stopWith(check, {
    prepare: (project) => project.write("src/inner/a/a_test.go", ""),
  });
  expect(gate.findings).toMatchObject([
    { file: "src/inner/a/a_test.go", line: 7, rule: "TestA" },
    { file: "src/first.js", line: 1, message: "found" },
  ]);
  expect(result.warnings.join("\n")).toContain("took longer than 250 ms");
});

function junit(message: string): string {
  return `<testsuite><testcase name="t" file="a.txt"><failure message="${message}"/></testcase></testsuite>\n`;
}
