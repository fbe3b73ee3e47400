/** The findings of checks that fail: from their output and from reports, in results, lists and reasons. */
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { stopReason } from "@/node/services/gauntlet/hook/stopReason";
import { GauntletProject } from "@test/helpers/gauntlet/gauntletProject";
import { stopAt } from "@test/helpers/gauntlet/stops";
import { tempDir } from "@test/helpers/tempDir";

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
  expect(gate.findings).toEqual([
    {
      file: "src/a.txt",
      line: 1,
      column: 1,
      severity: "error",
      rule: "new",
      message: "New problem.",
    },
    {
      file: "src/a.txt",
      line: 3,
      column: 4,
      severity: "warning",
      rule: "hint",
      message: "Only a hint.",
    },
    {
      file: "src/other.js",
      line: 1,
      column: 2,
      severity: "error",
      rule: "old",
      message: "Old problem.",
    },
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

test("has none with `findings: none`, and none of a check that passed (G37)", async () => {
  const off = await stopWith(`${OUTPUT}findings: none\n`);
  expect(off.gate).not.toHaveProperty("findings");
  const passed = await stopWith(OUTPUT.replace("exit 1", "exit 0"));
  expect(passed.gate).not.toHaveProperty("findings");
});

test("the reason stays within its budget, and counts the rest (G37)", async () => {
  const many = `command: |
  for i in $(seq 3000); do echo "f$i.js:$i:1: Something is wrong here. [Error/rule]"; done
  exit 1
`;
  for (const [budget, chars] of [
    ["", 6_000],
    ["reason_budget: 300\n", 1_200],
  ] as const) {
    const { gate, reason, project, result } = await stopWith(many, {
      config: `${budget}${CONFIG}`,
    });
    expect(gate.findings).toHaveLength(1_000);
    expect(result.warnings).toContain(
      "check:src:it: its findings are incomplete: only 1000 of 3000 are listed"
    );
    expect(await readFile(gate.findingsPath!, "utf8")).toContain(
      "\n2000 findings more, not listed\n"
    );
    expect(reason.length).toBeLessThanOrEqual(chars);
    expect(reason.length).toBeGreaterThan(chars * 0.7);
    if (chars === 6_000)
      expect(reason).toMatch(
        /\| src\/f1\.js:1:1 .*\n[^]*… and (\d+) more findings; \1 files with findings not named here\n/
      );
    expect(reason).toContain(project.dir);
  }
});

test("ignores reports that the command did not write (G37)", async () => {
  const { gate, result } = await stopWith(
    "command: cp new.xml out/new.xml; exit 1\nfindings: junit:out/*.xml\n",
    {
      prepare: async (project) => {
        await project.write("src/out/old.xml", junit("old"));
        await project.write("src/new.xml", junit("new"));
      },
    }
  );
  expect(gate.findings?.map(({ message }) => message)).toEqual(["new"]);
  expect(result.warnings).toEqual([expect.stringContaining("writes src/out/new.xml")]);
});

test("never reads a report outside of the project (G37)", async () => {
  const outside = await tempDir();
  await writeFile(join(outside, "secret.xml"), junit("secret"));
  const { gate, result } = await stopWith(
    `command: touch ${outside}/secret.xml folder/secret.xml; ln -s ${outside}/secret.xml out/link.xml; exit 1
findings: ["junit:out/*.xml", "junit:folder/*.xml"]
`,
    {
      prepare: async (project) => {
        await mkdir(project.path("src/out"), { recursive: true });
        await symlink(outside, project.path("src/folder"));
      },
    }
  );
  expect(gate.outcome).toBe("failed");
  expect(gate).not.toHaveProperty("findings");
  expect(result.warnings.join("\n")).toMatch(/link\.xml is ignored.*secret\.xml is ignored/);
});

test("a broken report is a warning, and the outcome is that of the exit code (G37)", async () => {
  const { gate, result } = await stopWith(
    "command: echo '<testsuite><failure' >report.xml; exit 1\nfindings: junit:report.xml\n"
  );
  expect(gate.outcome).toBe("failed");
  expect(result.warnings.join("\n")).toMatch(
    /^check:src:it: its findings are incomplete: .*report\.xml cannot be parsed: /
  );
});

test("a pattern that backtracks endlessly ends at its time limit (G37)", async () => {
  const { gate, result } = await stopWith(`command: |
  echo "first.js:1: found"
  printf 'a%.0s' $(seq 200); echo "!"
  exit 1
findings:
  pattern: { regexp: '^(?:(\\S+\\.js):(\\d+): (.*)|(a+)+)$', file: 1, line: 2, message: 3 }
`);
  expect(gate.findings).toMatchObject([{ file: "src/first.js", line: 1, message: "found" }]);
  expect(result.warnings.join("\n")).toContain("took longer than 250 ms");
});

test("a Go test's file is found in the folder of its package (G37)", async () => {
  const { gate } = await stopWith(
    `command: |
  printf -- '--- FAIL: TestA (0.0s)\\n    a_test.go:7: wrong\\nFAIL\\nFAIL\\texample.com/m/inner/a\\t0.1s\\n'
  exit 1
`,
    { prepare: (project) => project.write("src/inner/a/a_test.go", "") }
  );
  expect(gate.findings).toMatchObject([{ file: "src/inner/a/a_test.go", line: 7, rule: "TestA" }]);
});

function junit(message: string): string {
  return `<testsuite><testcase name="t" file="a.txt"><failure message="${message}"/></testcase></testsuite>\n`;
}
